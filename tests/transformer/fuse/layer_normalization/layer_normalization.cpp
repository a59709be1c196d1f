#include <graft/transformer/fuse/layer_normalization.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/graph.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

const std::string head = "x: f32[2,N,4]; s = f32[4] random; b = f32[4] random; ";
constexpr std::string_view centred = "d = Sub(x, ReduceMean(x) {axes=[2]}); v = ReduceMean(Mul(d, d)) {axes=[-1]}; ";

/// d over the root of v + epsilon, in its spellings.
constexpr std::string_view quotients[] = {
    "n = Div(d, Sqrt(Add(v, f32[] 0.001)))",
    "n = Mul(d, Reciprocal(Sqrt(Add(f32[] 0.001, v))))",
    "n = Mul(Div(f32[] 1, Sqrt(Add(v, f32[] 0.001))), d)",
    "n = Mul(d, Pow(Add(v, f32[] 0.001), f32[] {-0.5}))",
    "n = Div(d, Pow(Add(v, f32[] 0.001), f32[] 0.5))",
};

std::string in(std::string_view quotient, std::string_view after) {
  return head + std::string(centred) + std::string(quotient) + "; " + std::string(after);
}

}  // namespace

TEST_CASE("LayerNormalization with and without scale and bias, in all spellings") {
  const Pass fuse = fuse_layer_normalizations(fused_operators::onnx);
  for (const std::string_view quotient : quotients) {
    INFO(quotient);
    const std::string ones = head + "o = f32[4] 1; ", rest = "{axis=-1, epsilon=0.001}";
    CHECK(given(in(quotient, "y = Add(Mul(n, s), b)"))
              .pass(fuse)
              .becomes(head + "y = LayerNormalization(x, s, b) " + rest));
    CHECK(given(in(quotient, "y = Mul(s, n)")).pass(fuse).becomes(head + "y = LayerNormalization(x, s) " + rest));
    CHECK(given(in(quotient, "y = Add(b, n)")).pass(fuse).becomes(ones + "y = LayerNormalization(x, o, b) " + rest));
    CHECK(
        given(in(quotient, "y = Neg(n)")).pass(fuse).becomes(ones + "y = Neg(LayerNormalization(x, o) " + rest + ")"));
    CHECK(given(in(quotient, "y = Add(Mul(n, s), b)")).pass(fuse).equivalent({.atol = 1e-4, .rtol = 1e-4}));
  }
}

TEST_CASE("the opset is raised where a LayerNormalization is written in primitives") {
  const Pass fuse = fuse_layer_normalizations(fused_operators::ort_cpu);
  Model model = graph("opset 13; " + in(quotients[0], "y = Add(Mul(n, s), b)"));
  fuse.run(model);
  CHECK(model.opset() == 17);
  CHECK(model.graph().nodes().size() == 1);
  Model other = graph("opset 13; x: f32[2]; y = Relu(x)");
  fuse.run(other);
  CHECK(other.opset() == 13);
}

TEST_CASE("no LayerNormalization for a runtime that has none") {
  constexpr FusedOperators bare{"bare", {}};
  CHECK(given(in(quotients[0], "y = Neg(n)"))
            .pass(fuse_layer_normalizations(bare))
            .becomes(in(quotients[0], "y = Neg(n)")));
}

TEST_CASE("LayerNormalization as TensorFlow writes it") {
  const auto folded = [](std::string_view square, std::string_view root) {
    return head + "m = ReduceMean(x) {axes=[-1]}; d = Sub(x, m); q = " + std::string(square) +
           "; a = Add(ReduceMean(q) {axes=[-1]}, f32[] 0.001); r = " + std::string(root) +
           "; p = Mul(r, s); y = Add(Mul(x, p), Sub(b, Mul(m, p)))";
  };
  const std::string wanted = head + "y = LayerNormalization(x, s, b) {axis=-1, epsilon=0.001}";
  for (const std::string_view square : {"Mul(d, d)", "Pow(d, f32[] 2)"}) {
    for (const std::string_view root : {"Reciprocal(Sqrt(a))", "Div(f32[] 1, Sqrt(a))", "Pow(a, f32[] {-0.5})"}) {
      CHECK(given(folded(square, root)).rule(folded_layer_normalization).becomes(wanted));
      CHECK(given(folded(square, root)).rule(folded_layer_normalization).equivalent({.atol = 1e-3, .rtol = 1e-3}));
    }
  }
  const std::string usual = folded("Mul(d, d)", "Reciprocal(Sqrt(a))");
  CHECK(variants(folded_layer_normalization, usual, {.atol = 1e-3, .rtol = 1e-3}));
  Model model = graph("opset 13; " + usual);
  fuse_layer_normalizations(fused_operators::ort_cpu).run(model);
  CHECK(model.opset() == 17);
}

TEST_CASE("bare_layer_normalization through all variants") {
  const VariantReport report =
      variants(bare_layer_normalization, in(quotients[0], "y = Neg(n)"), {.atol = 1e-4, .rtol = 1e-4});
  CHECK(report);
  CHECK(report.find("another consumer of %d")->outcome == Variant::Outcome::refused);
  CHECK(report.find("opset 13")->outcome == Variant::Outcome::refused);
}

TEST_CASE("bare_layer_normalization refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(text).rule(bare_layer_normalization).refuses(reason);
  };
  CHECK(
      refuses("x: f32[2,N]; d = Sub(x, ReduceMean(x) {axes=[1]});"
              "y = Div(d, Sqrt(Add(ReduceMean(Mul(d, d)) {axes=[1]}, f32[] 0.1)))",
              "extents of its scale"));
  CHECK(
      refuses("x: f32[2,4]; d = Sub(x, ReduceMean(x) {axes=[0]});"
              "y = Div(d, Sqrt(Add(ReduceMean(Mul(d, d)) {axes=[0]}, f32[] 0.1)))",
              "last axes"));
  CHECK(
      refuses("x: f64[2,4]; d = Sub(x, ReduceMean(x) {axes=[1]});"
              "y = Div(d, Sqrt(Add(ReduceMean(Mul(d, d)) {axes=[1]}, f64[] 0.1)))",
              "compute in f32"));
}
