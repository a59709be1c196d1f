#include <graft/lower/standard_rms_norm.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("SimplifiedLayerNormalization becomes what the standard has") {
  CHECK(given("opset 23; x: f32[2,3,4]; w: f32[3,4]; y = SimplifiedLayerNormalization(x, w) {axis=1, epsilon=0.25}")
            .pass(standard_rms_norms())
            .becomes("opset 23; x: f32[2,3,4]; w: f32[3,4]; y = RMSNormalization(x, w) {axis=1, epsilon=0.25}"));
  CHECK(given("opset 22; x: f32[2,N,4]; w: f32[4]; y = SimplifiedLayerNormalization(x, w) {epsilon=0.25}")
            .pass(standard_rms_norms())
            .becomes("opset 22; x: f32[2,N,4]; w: f32[4]; m = ReduceMean(Pow(x, f32[] 2), i64[1] {-1});"
                     "y = Mul(Div(x, Sqrt(Add(m, f32[] 0.25))), w)"));
  CHECK(given("opset 23; x: f32[2,4]; y = RMSNormalization(x, f32[4] 2)")
            .pass(standard_rms_norms())
            .becomes("opset 23; x: f32[2,4]; y = RMSNormalization(x, f32[4] 2)"));
}

TEST_CASE("standard_rms_norm through all variants") {
  CHECK(variants(standard_rms_norm,
                 "x: f32[2,3,4]; w = f32[3,4] random; h = SimplifiedLayerNormalization(x, w) {axis=1}; y = Neg(h)",
                 {.atol = 1e-5}));
}

TEST_CASE("standard_rms_norm refuses") {
  CHECK(given("x: f32[3,4]; w = f32[4] 2; y, z = SimplifiedLayerNormalization(x, w); return y, z")
            .rule(standard_rms_norm)
            .refuses(""));
}
