#include <graft/lower/simplified_layer_norm_to_rms_norm.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("SimplifiedLayerNormalization becomes its parts") {
  CHECK(given("x: f32[2,N,4]; w: f32[4]; y = SimplifiedLayerNormalization(x, w) {epsilon=0.25}")
            .pass(simplified_layer_norms_to_rms_norms())
            .becomes("x: f32[2,N,4]; w: f32[4]; m = ReduceMean(Pow(x, f32[] 2)) {axes=[-1]};"
                     "y = Mul(Div(x, Sqrt(Add(m, f32[] 0.25))), w)"));
  CHECK(given("opset 18; x: f32[2,3,4]; w: f32[3,4]; y = SimplifiedLayerNormalization(x, w) {axis=1, epsilon=0.25}")
            .pass(simplified_layer_norms_to_rms_norms())
            .becomes("opset 18; x: f32[2,3,4]; w: f32[3,4]; m = ReduceMean(Pow(x, f32[] 2), i64[2] {-2, -1});"
                     "y = Mul(Div(x, Sqrt(Add(m, f32[] 0.25))), w)"));
}

TEST_CASE("half precision is computed in f32") {
  const char* const text = "x: f16[2,4]; w: f16[4]; y = SimplifiedLayerNormalization(x, w) {epsilon=0.25}";
  CHECK(given(text)
            .pass(simplified_layer_norms_to_rms_norms())
            .becomes("x: f16[2,4]; w: f16[4]; h = Cast(x) {to=1}; m = ReduceMean(Pow(h, f32[] 2)) {axes=[-1]};"
                     "y = Mul(Cast(Div(h, Sqrt(Add(m, f32[] 0.25)))) {to=10}, w)"));
  // Squares of f16 would overflow.
  CHECK(given("x: f16[2,4]; h = Mul(x, f16[] 1000); y = SimplifiedLayerNormalization(h, f16[4] 1)")
            .pass(simplified_layer_norms_to_rms_norms())
            .equivalent({.atol = 1e-2}));
}

TEST_CASE("SkipSimplifiedLayerNormalization becomes a sum and its parts") {
  CHECK(given("x: f32[2,3,4]; s: f32[3,4]; w: f32[4]; b: f32[4];"
              "y, _, _, h = com.microsoft::SkipSimplifiedLayerNormalization(x, s, w, b) {epsilon=0.25}; return h, y")
            .pass(simplified_layer_norms_to_rms_norms())
            .becomes("x: f32[2,3,4]; s: f32[3,4]; w: f32[4]; b: f32[4]; h = Add(Add(x, s), b);"
                     "m = ReduceMean(Pow(h, f32[] 2)) {axes=[-1]};"
                     "y = Mul(Div(h, Sqrt(Add(m, f32[] 0.25))), w); return h, y"));
}

TEST_CASE("RMS norms give what the norms gave") {
  CHECK(variants(simplified_layer_norm_to_rms_norm,
                 "x: f32[2,3,4]; w = f32[3,4] random; h = SimplifiedLayerNormalization(x, w) {axis=1}; y = Neg(h)",
                 {.atol = 1e-5}));
  CHECK(variants(skip_simplified_layer_norm_to_rms_norm,
                 "x: f32[2,3,4]; s: f32[2,3,4]; w = f32[4] random; b = f32[4] random;"
                 "y, _, _, h = com.microsoft::SkipSimplifiedLayerNormalization(x, s, w, b); z = Neg(h); return y, z",
                 {.atol = 1e-5}));
}

TEST_CASE("simplified_layer_norm_to_rms_norm refuses") {
  CHECK(given("x: f32[3,4]; w = f32[4] 2; y, z = SimplifiedLayerNormalization(x, w); return y, z")
            .rule(simplified_layer_norm_to_rms_norm)
            .refuses(""));
  CHECK(given("x: f32; w = f32[4] 2; y = SimplifiedLayerNormalization(x, w) {axis=1}")
            .rule(simplified_layer_norm_to_rms_norm)
            .refuses("rank"));
}
