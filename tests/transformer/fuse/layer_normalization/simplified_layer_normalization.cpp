#include <graft/transformer/fuse/layer_normalization.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

const std::string head = "x: f32[2,N,4]; w = f32[4] random; ";
constexpr std::string_view squares[] = {"q = Mul(x, x); ", "q = Pow(x, f32[] 2); "};
constexpr std::string_view quotients[] = {
    "n = Div(x, Sqrt(a))",
    "n = Mul(x, Reciprocal(Sqrt(a)))",
    "n = Mul(Div(f32[] 1, Sqrt(a)), x)",
    "n = Mul(Pow(a, f32[] {-0.5}), x)",
    "n = Div(x, Pow(a, f32[1] 0.5))",
};

std::string in(std::string_view square, std::string_view quotient, std::string_view after,
               std::string_view mean = "ReduceMean(q) {axes=[-1]}") {
  return head + std::string(square) + "a = Add(" + std::string(mean) + ", f32[] 0.001); " + std::string(quotient) +
         "; " + std::string(after);
}

/// A runtime that asks for the operator by the name that the standard does not have.
constexpr FusedOperator own_operators[]{{"SimplifiedLayerNormalization"}};
constexpr FusedOperators own{"own", own_operators};

}  // namespace

TEST_CASE("RMSNorm in all spellings") {
  const Pass fuse = fuse_simplified_layer_normalizations(own);
  for (const std::string_view square : squares) {
    for (const std::string_view quotient : quotients) {
      INFO(quotient);
      for (const std::string_view after : {"y = Mul(n, w)", "y = Mul(w, n)"})
        CHECK(given(in(square, quotient, after))
                  .pass(fuse)
                  .becomes(head + "y = SimplifiedLayerNormalization(x, w) {epsilon=0.001}"));
      CHECK(given(in(square, quotient, "y = Mul(n, w)")).pass(fuse).equivalent({.atol = 1e-4, .rtol = 1e-4}));
    }
  }
}

TEST_CASE("RMSNorm of half precision with Casts") {
  const std::string half =
      "x: f16[2,4]; w = f16[4] random; c = Cast(x) {to=1};"
      "n = Mul(c, Reciprocal(Sqrt(Add(ReduceMean(Mul(c, c)) {axes=[1]}, f32[] 0.001)))); ";
  CHECK(given(half + "y = Mul(w, Cast(n) {to=10})")
            .pass(fuse_simplified_layer_normalizations(own))
            .becomes("x: f16[2,4]; w = f16[4] random; y = SimplifiedLayerNormalization(x, w) {epsilon=0.001}"));
}

TEST_CASE("RMSNorm under its names") {
  CHECK(given("opset 23; " + in(squares[0], quotients[0], "y = Mul(n, w)", "ReduceMean(q, i64[1] {-1})"))
            .pass(fuse_simplified_layer_normalizations(fused_operators::onnx))
            .becomes("opset 23; " + head + "y = RMSNormalization(x, w) {epsilon=0.001}"));
  CHECK(given("opset 23; " + head + "y = RMSNormalization(x, w) {axis=1, epsilon=0.001}")
            .pass(fuse_simplified_layer_normalizations(own))
            .becomes("opset 23; " + head + "y = SimplifiedLayerNormalization(x, w) {axis=1, epsilon=0.001}"));
  CHECK(given("opset 23; x: bf16[2,4]; w: bf16[4]; y = RMSNormalization(x, w)")
            .rule(rms_to_simplified_layer_normalization)
            .refuses("neither f32 nor f16"));
  CHECK(given(in(squares[0], quotients[0], "y = Mul(n, w)")).rule(bare_rms_normalization).refuses("opset"));
}

TEST_CASE("ONNX Runtime gets an operator that the standard has, or primitives") {
  const Pass fuse = fuse_simplified_layer_normalizations(fused_operators::ort_cpu);
  const std::string old = in(squares[1], quotients[0], "y = Mul(n, w)");
  CHECK(given(old).pass(fuse).becomes(old));
  CHECK(given("opset 23; " + in(squares[1], quotients[0], "y = Mul(n, w)", "ReduceMean(q, i64[1] {-1})"))
            .pass(fuse)
            .becomes("opset 23; " + head + "y = RMSNormalization(x, w) {epsilon=0.001}"));
}

TEST_CASE("bare_simplified_layer_normalization through all variants") {
  const VariantReport report = variants(bare_simplified_layer_normalization, in(squares[1], quotients[1], "y = Neg(n)"),
                                        {.atol = 1e-4, .rtol = 1e-4});
  CHECK(report);
  CHECK(report.find("another consumer of %q")->outcome == Variant::Outcome::refused);
}

TEST_CASE("bare_simplified_layer_normalization refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(text).rule(bare_simplified_layer_normalization).refuses(reason);
  };
  CHECK(refuses("x: f32[2,4]; y = Div(x, Sqrt(Add(ReduceMean(Mul(x, x)) {axes=[0]}, f32[] 0.1)))", "last axes"));
  CHECK(refuses("x: f32[2,N]; y = Div(x, Sqrt(Add(ReduceMean(Mul(x, x)) {axes=[1]}, f32[] 0.1)))", "extents"));
  CHECK(refuses("x: f64[2,4]; y = Div(x, Sqrt(Add(ReduceMean(Mul(x, x)) {axes=[1]}, f64[] 0.1)))", "f16"));
  CHECK(refuses("x: f32[2,4]; z: f32[2,4]; y = Div(x, Sqrt(Add(ReduceMean(Mul(z, z)) {axes=[1]}, f32[] 0.1)))", ""));
  CHECK(refuses("x: f32[2,4]; y = Div(x, Sqrt(Add(ReduceMean(Mul(x, x)) {axes=[1]}, f32[2,1] 0.1)))", ""));
}
