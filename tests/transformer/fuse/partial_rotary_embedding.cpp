#include <graft/transformer/fuse/partial_rotary_embedding.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>
#include <graft/transformer/fuse/rotary_embedding.hpp>

using namespace graft;

namespace {

constexpr std::string_view inputs = "x: f32[B,3,S,10]; p = i64[1] 0; c: f32[9,2]; s: f32[9,2]; ";
constexpr std::string_view sliced =
    "a = Slice(x, i64[1] 0, i64[1] 4, i64[1] 3); b = Slice(x, i64[1] 4, i64[1] 99, i64[1] 3); ";
constexpr std::string_view turned =
    "y = Concat(com.microsoft::RotaryEmbedding(a, p, c, s) {interleaved=1}, b) {axis=-1}";
constexpr std::string_view whole =
    "y = com.microsoft::RotaryEmbedding(x, p, c, s) {num_heads=3, rotary_embedding_dim=4, interleaved=1}";

std::string join(std::string_view a, std::string_view b, std::string_view c) {
  return std::string(a) + std::string(b) + std::string(c);
}

}  // namespace

TEST_CASE("heads of which a part is turned are turned in one") {
  const Equivalence how{.atol = 1e-5, .dims = {{"S", 5}}};
  for (const std::string_view parts : {sliced, std::string_view("a, b = Split(x, i64[2] {4, 6}) {axis=3}; ")}) {
    const std::string graph = join(inputs, parts, turned);
    CHECK(given(graph).rule(partial_rotary_embedding).becomes(join(inputs, "", whole)));
    CHECK(given(graph).rule(partial_rotary_embedding).equivalent(how));
  }
  const std::string flat =
      "f: f32[B,S,30]; p = i64[1] 0; c: f32[9,2]; s: f32[9,2]; "
      "x = Transpose(Reshape(f, i64[4] {0, 0, 3, 10})) {perm=[0,2,1,3]}; ";
  CHECK(given(join(flat, sliced, turned))
            .rule(partial_rotary_embedding)
            .becomes("f: f32[B,S,30]; p = i64[1] 0; c: f32[9,2]; s: f32[9,2]; "
                     "t = com.microsoft::RotaryEmbedding(f, p, c, s) {num_heads=3, rotary_embedding_dim=4, "
                     "interleaved=1}; y = Transpose(Reshape(t, i64[4] {0, 0, 3, 10})) {perm=[0,2,1,3]}"));
  CHECK(given(join(flat, sliced, turned)).rule(partial_rotary_embedding).equivalent(how));
}

TEST_CASE("primitives that turn a part of the heads become one RotaryEmbedding") {
  for (const std::string_view source : {"a", "x"}) {  // slices of slices are simplified to slices of the whole
    const auto slice = [&](std::string_view name, std::string_view range) {
      return std::string(name) + " = Slice(" + std::string(source) + ", " + std::string(range) + ", i64[1] 3); ";
    };
    const std::string graph = join("x: f32[B,3,S,10]; f: f32[B,1,S,2]; ", sliced,
                                   slice("l", "i64[1] 0, i64[1] 2") + slice("r", "i64[1] 2, i64[1] 4") +
                                       "g = Concat(f, f) {axis=-1}; t = Concat(Neg(r), l) {axis=-1}; "
                                       "y = Concat(Add(Mul(a, Cos(g)), Mul(t, Sin(g))), b) {axis=-1}");
    INFO(graph);
    const auto fused = given(graph).pass(fuse_rotary_embeddings(fused_operators::ort_cpu));
    CHECK(fused.equivalent({.atol = 1e-5}));
    const Run run = fused.run();
    CHECK(run.model.graph().find("y")->producer()->is("com.microsoft::RotaryEmbedding"));
  }
}

TEST_CASE("partial_rotary_embedding refuses") {
  const auto refuses = [](std::string_view parts, std::string_view end, std::string_view reason) {
    return given(join(inputs, parts, end)).rule(partial_rotary_embedding).refuses(reason);
  };
  CHECK(refuses("a, b = Split(x, i64[2] {4, 6}) {axis=3}; ",
                "y = Concat(com.microsoft::RotaryEmbedding(a, p, c, s), Relu(b)) {axis=-1}", "are not known"));
  CHECK(refuses("b, a = Split(x, i64[2] {6, 4}) {axis=3}; ", turned, "start and the rest"));
  CHECK(refuses("a, b = Split(x, i64[2] {4, 6}) {axis=3}; ",
                "y = Concat(com.microsoft::RotaryEmbedding(a, p, c, s), b) {axis=2}", "last axis"));
}
