#include <graft/transformer/fuse/normalization_operands.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

const std::string head = "x: f32[2,N,4]; o = f32[4] 1; ";

}  // namespace

TEST_CASE("scale_into_normalization takes scales of every form") {
  for (const std::string op : {"LayerNormalization", "SimplifiedLayerNormalization"}) {
    const std::string norm = "n = " + op + "(x, o) {epsilon=0.01}; ";
    const std::string wanted = "x: f32[2,N,4]; w = f32[4] {1,2,3,4}; y = " + op + "(x, w) {epsilon=0.01}";
    for (const std::string w : {"f32[4] {1,2,3,4}", "f32[1,4] {1,2,3,4}", "f32[1,1,4] {1,2,3,4}"}) {
      CHECK(given(head + norm + "y = Mul(n, " + w + ")").rule(scale_into_normalization).becomes(wanted));
      CHECK(given(head + norm + "y = Mul(" + w + ", n)").rule(scale_into_normalization).becomes(wanted));
    }
    CHECK(given(head + norm + "y = Mul(n, f32[1] 3)")
              .rule(scale_into_normalization)
              .becomes("x: f32[2,N,4]; w = f32[4] 3; y = " + op + "(x, w) {epsilon=0.01}"));
    CHECK(given("w: f32[4]; " + head + norm + "y = Mul(n, w)")
              .rule(scale_into_normalization)
              .becomes("w: f32[4]; x: f32[2,N,4]; y = " + op + "(x, w) {epsilon=0.01}"));
  }
}

TEST_CASE("scale_into_normalization refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(head + std::string(text)).rule(scale_into_normalization).refuses(reason);
  };
  CHECK(refuses("y = Mul(LayerNormalization(x, f32[4] 2), f32[4] 3)", "all_equal"));
  CHECK(refuses("y = Mul(LayerNormalization(x, o, f32[4] 2), f32[4] 3)", ""));
  CHECK(refuses("y = Mul(LayerNormalization(x, o), f32[2,1,1] 3)", "the normalized extents"));
  CHECK(refuses("y = Mul(LayerNormalization(x, o), f32[1,1,1,4] 3)", "the normalized extents"));
  CHECK(refuses("w: f32[M]; y = Mul(LayerNormalization(x, o), w)", "the normalized extents"));
  CHECK(refuses("n = LayerNormalization(x, o); y = Mul(n, f32[4] 3); z = Neg(n)", "used"));
}

TEST_CASE("bias_into_layer_normalization") {
  CHECK(given(head + "y = Add(f32[1,4] {1,2,3,4}, LayerNormalization(x, o) {epsilon=0.01})")
            .rule(bias_into_layer_normalization)
            .becomes(head + "b = f32[4] {1,2,3,4}; y = LayerNormalization(x, o, b) {epsilon=0.01}"));
  CHECK(given(head + "y = Add(LayerNormalization(x, o, o), o)").rule(bias_into_layer_normalization).refuses(""));
  CHECK(given(head + "y = Add(LayerNormalization(x, o), x)").rule(bias_into_layer_normalization).refuses("extents"));
}

TEST_CASE("operands through all variants") {
  CHECK(variants(scale_into_normalization, head + "n = LayerNormalization(x, o); y = Mul(n, f32[4] random)",
                 {.atol = 1e-5}));
  CHECK(variants(bias_into_layer_normalization, head + "n = LayerNormalization(x, o); y = Add(n, f32[4] random)",
                 {.atol = 1e-5}));
}

TEST_CASE("narrow_normalization leaves bf16, of which runtimes have no kernel") {
  CHECK(given("x: bf16[2,4]; y = Cast(LayerNormalization(Cast(x) {to=1}, f32[4] 1)) {to=16}")
            .rule(narrow_normalization)
            .refuses(""));
}

TEST_CASE("narrow_normalization drops Casts around") {
  const std::string narrow = "x: f16[2,4]; c = Cast(x) {to=1}; ", back = "y = Cast(n) {to=10}";
  CHECK(given(narrow + "n = LayerNormalization(c, f32[4] 1, f32[4] 0.5); " + back)
            .rule(narrow_normalization)
            .becomes("x: f16[2,4]; y = LayerNormalization(x, f16[4] 1, f16[4] 0.5)"));
  CHECK(given(narrow + "n = SimplifiedLayerNormalization(c, f32[4] 1); z = Neg(c); " + back + "; return y, z")
            .rule(narrow_normalization)
            .becomes("x: f16[2,4]; y = SimplifiedLayerNormalization(x, f16[4] 1); z = Neg(Cast(x) {to=1});"
                     "return y, z"));
  CHECK(
      given(narrow + "n = LayerNormalization(c, f32[4] 0.1); " + back).rule(narrow_normalization).refuses("represent"));
  CHECK(given(narrow + "n = LayerNormalization(c, f32[4] 1); y = Cast(n) {to=16}")
            .rule(narrow_normalization)
            .refuses("dtypes of its result and x differ"));
  CHECK(given("x: f16[2,4]; c = Cast(x) {to=11}; n = SimplifiedLayerNormalization(c, f64[4] 1); " + back)
            .rule(narrow_normalization)
            .refuses("f32"));
}
