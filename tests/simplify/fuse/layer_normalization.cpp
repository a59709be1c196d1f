#include <graft/simplify/fuse/layer_normalization.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

const std::string head = "x: f32[2,N,4]; s = f32[4] random; b = f32[4] random; ";
constexpr std::string_view primitive =
    "m = ReduceMean(x) {axes=[-1]}; d = Sub(x, m); p = Pow(d, f32[] 2); v = ReduceMean(p) {axes=[2]};"
    "q = Sqrt(Add(v, f32[] 0.001)); n = Div(d, q); z = Mul(n, s); y = Add(z, b)";

TestResult refuses(const std::string& text, std::string_view reason) {
  return given(text).rule(layer_normalization).refuses(reason);
}

}  // namespace

TEST_CASE("layer_normalization in its spellings") {
  const std::string wanted = head + "y = LayerNormalization(x, s, b) {epsilon=0.001}";
  CHECK(given(head + std::string(primitive)).rule(layer_normalization).becomes(wanted));
  CHECK(given(head + "d = Sub(x, ReduceMean(x) {axes=[2]});"
                     "y = Add(b, Mul(s, Div(d, Sqrt(Add(f32[] 0.001, ReduceMean(Mul(d, d)) {axes=[2]})))))")
            .rule(layer_normalization)
            .becomes(wanted));
  CHECK(given("opset 18;" + head +
              "d = Sub(x, ReduceMean(x, i64[1] 2));"
              "y = Add(Mul(Div(d, Sqrt(Add(ReduceMean(Mul(d, d), i64[1] -1), f32[] 0.001))), s), b)")
            .rule(layer_normalization)
            .becomes("opset 18;" + wanted));
  const std::string matrices = "x: f32[N,3,4]; s = f32[3,4] random; b = f32[3,4] random; ";
  CHECK(given(matrices + "d = Sub(x, ReduceMean(x) {axes=[1,2]});"
                         "y = Add(Mul(Div(d, Sqrt(Add(ReduceMean(Mul(d, d)) {axes=[1,2]}, f32[] 0.001))), s), b)")
            .rule(layer_normalization)
            .becomes(matrices + "y = LayerNormalization(x, s, b) {axis=-2, epsilon=0.001}"));
}

TEST_CASE("layer_normalization whatever way the root divides") {
  const std::string wanted = head + "y = LayerNormalization(x, s, b) {epsilon=0.001}";
  for (const std::string_view quotient :
       {"Mul(d, Reciprocal(Sqrt(a)))", "Mul(Div(f32[] 1, Sqrt(a)), d)", "Mul(d, Pow(a, f32[] {-0.5}))",
        "Div(d, Pow(a, f32[] 0.5))"}) {
    INFO(quotient);
    const std::string text = head + "d = Sub(x, ReduceMean(x) {axes=[2]});"
                                    "a = Add(ReduceMean(Mul(d, d)) {axes=[2]}, f32[] 0.001); y = Add(Mul(s, " +
                             std::string(quotient) + "), b)";
    CHECK(given(text).rule(layer_normalization).becomes(wanted));
    CHECK(given(text).rule(layer_normalization).equivalent({.atol = 1e-4, .rtol = 1e-4}));
  }
}

TEST_CASE("layer_normalization through all variants") {
  const VariantReport report =
      variants(layer_normalization, head + std::string(primitive), {.atol = 1e-4, .rtol = 1e-4});
  CHECK(report);
  CHECK(report.find("as given")->outcome == Variant::Outcome::equivalent);
  for (const std::string inner : {"m", "d", "p", "v", "q", "n", "z"})
    CHECK(report.find("another consumer of %" + inner)->outcome == Variant::Outcome::refused);
  CHECK(report.find("the operands of %y exchanged")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("%s as an input that callers may override")->outcome == Variant::Outcome::refused);
  CHECK(report.find("opset 13")->outcome == Variant::Outcome::refused);
}

TEST_CASE("layer_normalization refuses") {
  const auto with = [](std::string_view inputs, std::string_view axes, std::string_view more = "") {
    const std::string mean = "{axes=" + std::string(axes) + std::string(more) + "}";
    return std::string(inputs) + "; d = Sub(x, ReduceMean(x) " + mean + ");" +
           "y = Add(Mul(Div(d, Sqrt(Add(ReduceMean(Mul(d, d)) " + mean + ", f32[] 0.1))), s), b)";
  };
  CHECK(refuses(with("x: f32[2,4,4]; s = f32[4] 1; b = f32[4] 1", "[1]"), "last axes"));
  CHECK(refuses(with("x: f32[2,4,4]; s = f32[1] 1; b = f32[4] 1", "[2]"), "last axes"));
  CHECK(refuses(with("x: f32[2,4,4]; s = f32[4] 1; b = f32[2,1,4] 1", "[2]"), "last axes"));
  CHECK(refuses("opset 17; x: f64[2,4]; s = f64[4] 1; b = f64[4] 1; d = Sub(x, ReduceMean(x) {axes=[1]});"
                "y = Add(Mul(Div(d, Sqrt(Add(ReduceMean(Mul(d, d)) {axes=[1]}, f64[] 0.1))), s), b)",
                "compute in f32"));
  CHECK(refuses(with("x: f32[2,4,1]; s = f32[4] 1; b = f32[4] 1", "[2]"), "last axes"));
  CHECK(refuses(with("x: f32[2,2]; s = f32[2] 1; b = f32[2] 1", "[1]", ", keepdims=0"), "keepdims"));
  CHECK(refuses(head + "d = Sub(x, ReduceMean(x) {axes=[2]});"
                       "y = Add(Mul(Div(d, Sqrt(Add(ReduceMean(Pow(d, f32[] 3)) {axes=[2]}, f32[] 0.1))), s), b)",
                "all_equal"));
}
