#include <graft/transformer/fuse/skip_layer_normalization.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

const std::string summands = "x: f32[B,S,4]; z: f32[B,S,4]; w = f32[4] random; ";
const std::string with_bias = summands + "b = f32[4] random; ";

TestResult refuses(std::string_view text, std::string_view reason) {
  return given(text).rule(skip_layer_normalization).refuses(reason);
}

}  // namespace

TEST_CASE("skip_layer_normalization with and without bias") {
  CHECK(given(with_bias + "y = LayerNormalization(Add(x, z), w, b) {epsilon=0.01}")
            .rule(skip_layer_normalization)
            .becomes(with_bias + "y = com.microsoft::SkipLayerNormalization(x, z, w, b) {epsilon=0.01}"));
  CHECK(given(summands + "y = LayerNormalization(Add(x, z), w) {axis=2}")
            .rule(skip_layer_normalization)
            .becomes(summands + "y = com.microsoft::SkipLayerNormalization(x, z, w) {epsilon=0.00001}"));
  CHECK(given(with_bias + "y = LayerNormalization(Add(x, z), w, b)").rule(skip_layer_normalization).equivalent());
}

TEST_CASE("who else reads the sum reads the fourth output") {
  CHECK(given(summands + "h = Add(x, z); a = Relu(h); y = LayerNormalization(h, w) {epsilon=0.01}; return y, a")
            .rule(skip_layer_normalization)
            .becomes(summands + "y, _, _, h = com.microsoft::SkipLayerNormalization(x, z, w) {epsilon=0.01};"
                                "a = Relu(h); return y, a"));
  CHECK(given(summands + "h = Add(x, z); y = LayerNormalization(h, w) {epsilon=0.01}; return h, y")
            .rule(skip_layer_normalization)
            .becomes(summands + "y, _, _, h = com.microsoft::SkipLayerNormalization(x, z, w) {epsilon=0.01};"
                                "return h, y"));
}

TEST_CASE("readers of the sum before it is normalized") {
  Model model = graph(summands + "h = Add(x, z); a = Relu(h); c = Neg(a); y = LayerNormalization(h, w); return y, c");
  fuse_skip_layer_normalizations(fused_operators::ort_cpu).run(model);
  CHECK(verify(model).empty());
  CHECK(model.graph().find("a")->producer()->input(0)->producer()->is("com.microsoft::SkipLayerNormalization"));
}

TEST_CASE("the skip may lack a batch") {
  for (const std::string skip : {"[1,S,4]", "[S,4]"}) {
    const std::string head = "x: f32[B,S,4]; z: f32" + skip + "; w = f32[4] random; ";
    const std::string wanted = head + "y = com.microsoft::SkipLayerNormalization(x, z, w) {epsilon=0.01}";
    for (const std::string sum : {"Add(x, z)", "Add(z, x)"})
      CHECK(given(head + "y = LayerNormalization(" + sum + ", w) {epsilon=0.01}")
                .rule(skip_layer_normalization)
                .becomes(wanted));
    CHECK(given(wanted).pass(fuse_skip_layer_normalizations(fused_operators::ort_cpu)).becomes(wanted));
  }
}

TEST_CASE("skip_simplified_layer_normalization under both names") {
  const std::string wanted = summands + "y = com.microsoft::SkipSimplifiedLayerNormalization(x, z, w) {epsilon=0.01}";
  CHECK(given(summands + "y = SimplifiedLayerNormalization(Add(x, z), w) {epsilon=0.01}")
            .rule(skip_simplified_layer_normalization)
            .becomes(wanted));
  CHECK(given("opset 23; " + summands + "y = RMSNormalization(Add(x, z), w) {epsilon=0.01}")
            .rule(skip_simplified_layer_normalization)
            .becomes("opset 23; " + wanted));
}

TEST_CASE("a root mean square of a sum in primitives") {
  const std::string wanted = summands + "y = com.microsoft::SkipSimplifiedLayerNormalization(x, z, w) {epsilon=0.01}";
  const std::string wanted_sum =
      summands + "y, _, _, h = com.microsoft::SkipSimplifiedLayerNormalization(x, z, w) {epsilon=0.01}; ";
  for (const std::string square : {"Mul(h, h)", "Pow(h, f32[] 2)"}) {
    INFO(square);
    const std::string norm = summands + "h = Add(x, z); y = Mul(w, Div(h, Sqrt(Add(ReduceMean(" + square +
                             ") {axes=[-1]}, f32[] 0.01))))";
    CHECK(given(norm).rule(skip_root_mean_square).becomes(wanted));
    CHECK(given(norm).rule(skip_root_mean_square).equivalent({.atol = 1e-5}));
    CHECK(given(norm + "; a = Relu(h); return y, a")
              .rule(skip_root_mean_square)
              .becomes(wanted_sum + "a = Relu(h); return y, a"));
  }
  CHECK(given(summands + "h = Relu(x); y = Mul(w, Div(h, Sqrt(Add(ReduceMean(Mul(h, h)) {axes=[-1]}, f32[] 0.01))))")
            .rule(skip_root_mean_square)
            .refuses("sum"));
}

TEST_CASE("a root mean square of a sum of half precision in f32") {
  const std::string head = "x: f16[B,S,4]; z: f16[B,S,4]; w = f16[4] random; ";
  CHECK(given(head + "h = Add(x, z); c = Cast(h) {to=1}; y = Mul(w, Cast(Mul(c, Reciprocal(Sqrt(Add(ReduceMean("
                     "Pow(c, f32[] 2)) {axes=[-1]}, f32[] 0.01))))) {to=10}); a = Relu(h); return y, a")
            .rule(skip_wide_root_mean_square)
            .becomes(head + "y, _, _, h = com.microsoft::SkipSimplifiedLayerNormalization(x, z, w) {epsilon=0.01}; "
                            "a = Relu(h); return y, a"));
}

TEST_CASE("biases go into the fused operators") {
  const Pass fuse = fuse_skip_layer_normalizations(fused_operators::ort_cpu);
  const std::string head = with_bias + "c = f32[4] random; ";
  for (const std::string sum : {"Add(Add(x, c), z)", "Add(x, Add(c, z))"}) {
    INFO(sum);
    CHECK(given(head + "y = LayerNormalization(" + sum + ", w, b) {epsilon=0.01}")
              .pass(fuse)
              .becomes(head + "y = com.microsoft::SkipLayerNormalization(x, z, w, b, c) {epsilon=0.01}"));
    CHECK(given(head + "y = LayerNormalization(" + sum + ", w) {epsilon=0.01}")
              .pass(fuse)
              .becomes(head + "y = com.microsoft::SkipLayerNormalization(x, z, w, _, c) {epsilon=0.01}"));
    CHECK(given(head + "y = SimplifiedLayerNormalization(" + sum + ", w) {epsilon=0.01}")
              .pass(fuse)
              .becomes(head + "y = com.microsoft::SkipSimplifiedLayerNormalization(x, z, w, c) {epsilon=0.01}"));
    CHECK(given(head + "h = " + sum + "; y = LayerNormalization(h, w, b); return y, h").pass(fuse).equivalent());
  }
  CHECK(given(summands + "k = Add(x, f32[4] 1); y = com.microsoft::SkipLayerNormalization(k, z, w); return y, k")
            .rule(bias_into_skip_layer_normalization)
            .refuses("graph output"));
  CHECK(given(summands + "y = com.microsoft::SkipLayerNormalization(Add(x, f32[1] 1), z, w)")
            .rule(bias_into_skip_layer_normalization)
            .refuses("last extent"));
}

TEST_CASE("skip_layer_normalization through all variants") {
  CHECK(variants(skip_layer_normalization, with_bias + "h = Add(x, z); y = LayerNormalization(h, w, b)",
                 {.atol = 1e-4, .rtol = 1e-4}));
  CHECK(variants(bias_into_skip_layer_normalization,
                 with_bias + "h = Add(x, b); y = com.microsoft::SkipLayerNormalization(h, z, w)",
                 {.atol = 1e-4, .rtol = 1e-4}));
}

TEST_CASE("skip_layer_normalization refuses") {
  CHECK(refuses("x: f32[B,S,4]; z: f32[B,T,4]; y = LayerNormalization(Add(x, z), f32[4] 1)", "equal shapes"));
  CHECK(refuses("x: f32[B,S,4]; z: f32[A,S,4]; y = LayerNormalization(Add(x, z), f32[4] 1)", "equal shapes"));
  CHECK(refuses("x: f32[2,3,4]; z: f32[2,1,4]; y = LayerNormalization(Add(x, z), f32[4] 1)", "equal shapes"));
  CHECK(refuses("x: f32[2,3,4]; z: f32[4]; y = LayerNormalization(Add(x, z), f32[4] 1)", "equal shapes"));
  CHECK(refuses("x: f32[1,2,3,4]; y = LayerNormalization(Add(x, x), f32[4] 1)", "rank 2 or 3"));
  CHECK(refuses("x: f32; y = LayerNormalization(Add(x, x), f32[4] 1)", "rank 2 or 3"));
  CHECK(refuses("x: f64[2,3,4]; y = LayerNormalization(Add(x, x), f64[4] 1)", "neither f32 nor f16"));
  CHECK(refuses("x: f32[2,3,4]; y = LayerNormalization(Add(x, x), f32[3,4] 1) {axis=1}", "more than the last axis"));
  CHECK(refuses("x: f32[2,3,4]; y = LayerNormalization(Add(x, x), f32[1] 1)", "last extent"));
  CHECK(refuses("x: f32[2,3,4]; y, m = LayerNormalization(Add(x, x), f32[4] 1); return y, m", ""));
}
