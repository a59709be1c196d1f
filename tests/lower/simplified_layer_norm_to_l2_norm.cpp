#include <graft/lower/simplified_layer_norm_to_l2_norm.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("SimplifiedLayerNormalization becomes an L2 norm") {
  const std::string wanted = "x: f32[2,N,4]; y = Mul(LpNormalization(x) {p=2, axis=-1}, f32[4] {2, 4, 6, 8})";
  CHECK(given("x: f32[2,N,4]; y = SimplifiedLayerNormalization(x, f32[4] {1, 2, 3, 4}) {epsilon=1e-6, stash_type=1}")
            .pass(simplified_layer_norms_to_l2_norms())
            .becomes(wanted));
  CHECK(given("opset 23; x: f32[2,N,4]; y = RMSNormalization(x, f32[4] {1, 2, 3, 4}) {axis=2}")
            .pass(simplified_layer_norms_to_l2_norms())
            .becomes("opset 23; " + wanted));
  CHECK(given("x: f32[2,4]; y = SimplifiedLayerNormalization(x, f32[4] 1)")
            .pass(simplified_layer_norms_to_l2_norms())
            .becomes("x: f32[2,4]; y = Mul(LpNormalization(x) {p=2, axis=-1}, f32[1] 2)"));
}

TEST_CASE("SkipSimplifiedLayerNormalization becomes an L2 norm of a sum, which is an output too") {
  const std::string head = "x: f32[2,3,4]; s: f32[2,3,4]; w = f32[4] {1, 2, 3, 4}; ";
  CHECK(given(head + "y = com.microsoft::SkipSimplifiedLayerNormalization(x, s, w)")
            .pass(simplified_layer_norms_to_l2_norms())
            .becomes("x: f32[2,3,4]; s: f32[2,3,4];"
                     "y = Mul(LpNormalization(Add(x, s)) {p=2, axis=-1}, f32[4] {2, 4, 6, 8})"));
  CHECK(given(head + "y, _, _, h = com.microsoft::SkipSimplifiedLayerNormalization(x, s, w, f32[4] {4, 3, 2, 1});"
                     "z = Neg(h); return y, z, h")
            .pass(simplified_layer_norms_to_l2_norms())
            .becomes("x: f32[2,3,4]; s: f32[2,3,4]; h = Add(Add(x, s), f32[4] {4, 3, 2, 1});"
                     "y = Mul(LpNormalization(h) {p=2, axis=-1}, f32[4] {2, 4, 6, 8}); z = Neg(h); return y, z, h"));
}

TEST_CASE("a weight that two norms share is scaled once, one that others read stays") {
  CHECK(given("x: f32[2,4]; w = f32[4] {1, 2, 3, 4}; h = SimplifiedLayerNormalization(x, w);"
              "y = SimplifiedLayerNormalization(Neg(h), w); z = Neg(w)")
            .pass(simplified_layer_norms_to_l2_norms())
            .becomes("x: f32[2,4]; w = f32[4] {2, 4, 6, 8}; h = Mul(LpNormalization(x), w);"
                     "y = Mul(LpNormalization(Neg(h)), w); z = Neg(f32[4] {1, 2, 3, 4})"));
}

TEST_CASE("L2 norms give what the norms gave") {
  CHECK(variants(simplified_layer_norm_to_l2_norm,
                 "x: f32[2,3,4]; w = f32[4] random; h = SimplifiedLayerNormalization(x, w) {epsilon=1e-12};"
                 "y = Neg(h)",
                 {.atol = 1e-5}));
  CHECK(variants(skip_simplified_layer_norm_to_l2_norm,
                 "x: f32[2,3,4]; s: f32[2,3,4]; w = f32[4] random; b = f32[4] random;"
                 "y, _, _, h = com.microsoft::SkipSimplifiedLayerNormalization(x, s, w, b) {epsilon=1e-12};"
                 "z = Neg(h); return y, z",
                 {.atol = 1e-5}));
}

TEST_CASE("what stays a SimplifiedLayerNormalization") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(text).rule(simplified_layer_norm_to_l2_norm).refuses(reason);
  };
  CHECK(refuses("x: f32[3,4]; w = f32[3,4] 2; y = SimplifiedLayerNormalization(x, w) {axis=0}", "last axis"));
  CHECK(refuses("x: f32[3,4]; w = f32[4] 2; y = SimplifiedLayerNormalization(x, w) {epsilon=0.001}", "epsilon"));
  CHECK(refuses("x: f32[3,4]; w: f32[4]; y = SimplifiedLayerNormalization(x, w)", ""));
  CHECK(refuses("x: f32[3,N]; w = f32[4] 2; y = SimplifiedLayerNormalization(x, w)", "last extent"));
  CHECK(refuses("x: f16[3,4]; w = f32[4] 2; y = SimplifiedLayerNormalization(x, w)", "another dtype"));
  CHECK(refuses("x: f32[3,4]; w = f32[4] 2; y, z = SimplifiedLayerNormalization(x, w); return y, z", ""));
}
