#include <graft/lower/decompose_embed_layer_normalization.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

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
