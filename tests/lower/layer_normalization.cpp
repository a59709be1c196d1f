#include <graft/lower/layer_normalization.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("LayerNormalization becomes its parts") {
  const std::string head = "x: f32[2,N,4]; w: f32[4]; b: f32[4]; ";
  const std::string parts =
      "d = Sub(x, ReduceMean(x) {axes=[-1]}); m = ReduceMean(Pow(d, f32[] 2)) {axes=[-1]};"
      "n = Mul(Div(d, Sqrt(Add(m, f32[] 0.25))), w); ";
  CHECK(given(head + "y = LayerNormalization(x, w, b) {epsilon=0.25}")
            .pass(decompose_layer_normalizations())
            .becomes(head + parts + "y = Add(n, b)"));
  CHECK(given(head + "y = Neg(LayerNormalization(x, w) {epsilon=0.25})")
            .pass(decompose_layer_normalizations())
            .becomes(head + parts + "y = Neg(n)"));
  CHECK(given("opset 18; x: f32[2,3,4]; w: f32[3,4]; y = LayerNormalization(x, w) {axis=1, epsilon=0.25}")
            .pass(decompose_layer_normalizations())
            .becomes("opset 18; x: f32[2,3,4]; w: f32[3,4]; a = i64[2] {-2, -1}; d = Sub(x, ReduceMean(x, a));"
                     "m = ReduceMean(Pow(d, f32[] 2), a); y = Mul(Div(d, Sqrt(Add(m, f32[] 0.25))), w)"));
}

TEST_CASE("mean and deviation of LayerNormalization stay") {
  CHECK(given("x: f32[2,3,4]; w = f32[4] random; y, m, s = LayerNormalization(x, w); return y, m, s")
            .pass(decompose_layer_normalizations())
            .equivalent({.atol = 1e-4, .rtol = 1e-4}));
}

TEST_CASE("LayerNormalization of half precision is computed in f32") {
  CHECK(given("x: f16[2,4]; w: f16[4]; y = LayerNormalization(x, w) {epsilon=0.25}")
            .pass(decompose_layer_normalizations())
            .becomes("x: f16[2,4]; w: f16[4]; h = Cast(x) {to=1}; d = Sub(h, ReduceMean(h) {axes=[-1]});"
                     "m = ReduceMean(Pow(d, f32[] 2)) {axes=[-1]};"
                     "y = Mul(Cast(Div(d, Sqrt(Add(m, f32[] 0.25)))) {to=10}, w)"));
}

TEST_CASE("SkipLayerNormalization becomes a sum and its parts") {
  CHECK(given("x: f32[2,3,4]; s: f32[3,4]; w: f32[4]; b: f32[4]; c: f32[4];"
              "y, _, _, h = com.microsoft::SkipLayerNormalization(x, s, w, b, c) {epsilon=0.25}; return h, y")
            .pass(decompose_layer_normalizations())
            .becomes("x: f32[2,3,4]; s: f32[3,4]; w: f32[4]; b: f32[4]; c: f32[4]; h = Add(Add(x, s), c);"
                     "d = Sub(h, ReduceMean(h) {axes=[-1]}); m = ReduceMean(Pow(d, f32[] 2)) {axes=[-1]};"
                     "y = Add(Mul(Div(d, Sqrt(Add(m, f32[] 0.25))), w), b); return h, y"));
  CHECK(given("x: f32[2,3,4]; s: f32[2,3,4]; y = com.microsoft::SkipLayerNormalization(x, s, f32[4] 2) {epsilon=0.25}")
            .pass(decompose_layer_normalizations())
            .becomes("x: f32[2,3,4]; s: f32[2,3,4]; h = Add(x, s); d = Sub(h, ReduceMean(h) {axes=[-1]});"
                     "m = ReduceMean(Pow(d, f32[] 2)) {axes=[-1]};"
                     "y = Mul(Div(d, Sqrt(Add(m, f32[] 0.25))), f32[4] 2)"));
}

TEST_CASE("layer normalizations taken apart give what they gave") {
  const Equivalence how{.atol = 1e-4, .rtol = 1e-4};
  CHECK(variants(decompose_layer_normalization,
                 "x: f32[2,3,4]; w = f32[3,4] random; b = f32[3,4] random; h = LayerNormalization(x, w, b) {axis=1};"
                 "y = Neg(h)",
                 how));
  CHECK(variants(decompose_skip_layer_normalization,
                 "x: f32[2,3,4]; s: f32[2,3,4]; w = f32[4] random; b = f32[4] random; c = f32[4] random;"
                 "y, _, _, h = com.microsoft::SkipLayerNormalization(x, s, w, b, c); z = Neg(h); return y, z",
                 how));
}

TEST_CASE("decompose_layer_normalization refuses") {
  CHECK(given("x: f32; y = LayerNormalization(x, f32[4] 1) {axis=1}")
            .rule(decompose_layer_normalization)
            .refuses("rank"));
  CHECK(given("x: f32[2,3,4]; y, m, _, h = com.microsoft::SkipLayerNormalization(x, x, f32[4] 1); return y, m, h")
            .rule(decompose_skip_layer_normalization)
            .refuses(""));
}

namespace {

const std::string tables =
    "w = f32[9,4] random; p = f32[6,4] random; t = f32[2,4] random; g = f32[4] random; b = f32[4] random; ";
const std::string normalized =
    "d = Sub(h, ReduceMean(h) {axes=[-1]}); m = ReduceMean(Pow(d, f32[] 2)) {axes=[-1]};"
    "y = Add(Mul(Div(d, Sqrt(Add(m, f32[] 0.25))), g), b)";

}  // namespace

TEST_CASE("EmbedLayerNormalization becomes its parts") {
  const std::string ids = "ids: i32[B,S]; types: i32[B,S]; ", fixed = "ids: i32[2,3]; c: i32[1,3]; ";
  CHECK(given(ids + tables + "y, _ = com.microsoft::EmbedLayerNormalization(ids, types, w, p, t, g, b) {epsilon=0.25}")
            .pass(decompose_embed_layer_normalizations())
            .becomes(ids + tables +
                     "u = i64[] 1; c = Range(i64[] 0, Gather(Shape(ids), u), u);"
                     "h = Add(Add(Gather(w, ids), Gather(p, c)), Gather(t, types)); " +
                     normalized));
  CHECK(given("ids: i32[2,3]; " + tables +
              "y, _, h = com.microsoft::EmbedLayerNormalization(ids, _, w, p, _, g, b) {epsilon=0.25}; return y, h")
            .pass(decompose_embed_layer_normalizations())
            .becomes("ids: i32[2,3]; " + tables + "h = Add(Gather(w, ids), Gather(p, i64[3] {0,1,2})); " + normalized +
                     "; return y, h"));
  CHECK(given(fixed + tables +
              "y, _ = com.microsoft::EmbedLayerNormalization(ids, _, w, p, _, g, b, _, c) {epsilon=0.25}")
            .pass(decompose_embed_layer_normalizations())
            .becomes(fixed + tables + "h = Add(Gather(w, ids), Gather(p, c)); " + normalized));
}

TEST_CASE("embeddings taken apart give what they gave") {
  CHECK(given("ids: i32[B,S]; types: i32[B,S]; " + tables +
              "y, _, h = com.microsoft::EmbedLayerNormalization(ids, types, w, p, t, g, b); return y, h")
            .pass(decompose_embed_layer_normalizations())
            .equivalent({.inputs = 4, .atol = 1e-4, .rtol = 1e-4, .dims = {{"B", 3}, {"S", 5}}}));
}

TEST_CASE("decompose_embed_layer_normalization refuses") {
  const auto refuses = [](const std::string& text, std::string_view reason) {
    return given(text).rule(decompose_embed_layer_normalization).refuses(reason);
  };
  const std::string node = "y, m = com.microsoft::EmbedLayerNormalization(ids, _, w, p, _, g, b)";
  CHECK(refuses("ids: i32[2,3]; " + tables + node + "; return y, m", ""));
  CHECK(refuses("opset 10; ids: i32[2,3]; " + tables + node + "; return y", "opset 11"));
  for (const std::string inputs : {"_", "ids", "ids, _, w, p", "ids, _, _, p, _, g, b", "ids, _, w, _, _, g, b"})
    CHECK(refuses("ids: i32[2,3]; " + tables + "y, _ = com.microsoft::EmbedLayerNormalization(" + inputs + ")", ""));
  CHECK(refuses("ids: i32; " + tables + node + "; return y", "rank 2"));
}
