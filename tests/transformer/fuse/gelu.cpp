#include <graft/transformer/fuse/gelu.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

std::string erf_gelu(const std::string& x) {
  return "Mul(" + x + ", Mul(Add(Erf(Div(" + x + ", f32[] 1.4142135)), f32[] 1), f32[] 0.5))";
}
std::string tanh_gelu(const std::string& x) {
  return "Mul(Mul(" + x + ", f32[] 0.5), Add(Tanh(Mul(Add(" + x + ", Mul(Pow(" + x +
         ", f32[] 3), f32[] 0.044715)), f32[] 0.7978845608)), f32[] 1))";
}

}  // namespace

TEST_CASE("a runtime gets the Gelus that it has") {
  const Pass ort = fuse_gelus(fused_operators::ort_cpu), standard = fuse_gelus(fused_operators::onnx);
  const std::string head = "x: f32[2,N,4]; ", biased = head + "b = f32[4] random; ", sum = "h = Add(x, b); ";
  CHECK(given(head + "y = " + erf_gelu("x")).pass(ort).becomes(head + "y = com.microsoft::Gelu(x)"));
  CHECK(given(biased + sum + "y = " + erf_gelu("h")).pass(ort).becomes(biased + "y = com.microsoft::BiasGelu(x, b)"));
  CHECK(given(biased + sum + "y = " + tanh_gelu("h")).pass(ort).becomes(biased + "y = com.microsoft::FastGelu(x, b)"));
  CHECK(
      given("opset 20; " + head + "y = " + erf_gelu("x")).pass(standard).becomes("opset 20; " + head + "y = Gelu(x)"));
  CHECK(given("opset 20; " + head + "y = " + tanh_gelu("x"))
            .pass(standard)
            .becomes("opset 20; " + head + "y = Gelu(x) {approximate=\"tanh\"}"));
  CHECK(given(head + "y = " + erf_gelu("x")).pass(standard).becomes(head + "y = " + erf_gelu("x")));
}

TEST_CASE("what the runtime fuses itself is left to it") {
  const std::string silu = "x: f32[2,N]; y = Mul(x, Sigmoid(x))";
  constexpr FusedOperator quick[] = {{"com.microsoft::QuickGelu"}};
  CHECK(given(silu)
            .pass(fuse_gelus({"one that does not", quick}))
            .becomes("x: f32[2,N]; y = com.microsoft::QuickGelu(x) {alpha=1.0}"));
  constexpr FusedOperator always[] = {{"com.microsoft::QuickGelu", AtLoad::fused}};
  CHECK(given(silu).pass(fuse_gelus({"one that does", always})).becomes(silu));
}

TEST_CASE("quick_gelu reads alpha") {
  const std::string head = "x: f32[2,N]; ";
  for (const std::string text : {"y = Mul(x, Sigmoid(Mul(x, f32[] 1.25)))", "y = Mul(Sigmoid(Mul(f32[1] 1.25, x)), x)"})
    CHECK(given(head + text).rule(quick_gelu).becomes(head + "y = com.microsoft::QuickGelu(x) {alpha=1.25}"));
  CHECK(given(head + "y = Mul(x, Sigmoid(x))")
            .rule(silu_to_quick_gelu)
            .becomes(head + "y = com.microsoft::QuickGelu(x) {alpha=1.0}"));
}

TEST_CASE("quick_gelu through all variants") {
  CHECK(variants(quick_gelu, "x: f32[2,N]; m = Mul(x, f32[] 1.25); s = Sigmoid(m); y = Mul(x, s)", {.atol = 1e-5}));
  CHECK(variants(silu_to_quick_gelu, "x: f32[2,N]; s = Sigmoid(x); y = Mul(s, x)", {.atol = 1e-5}));
}

TEST_CASE("quick_gelu refuses") {
  CHECK(given("x: f32[]; y = Mul(x, Sigmoid(Mul(x, f32[1] 2)))").rule(quick_gelu).refuses("rank"));
  CHECK(given("x: f32[2]; z: f32[2]; y = Mul(z, Sigmoid(Mul(x, f32[] 2)))").rule(quick_gelu).refuses(""));
  CHECK(given("x: f64[2]; y = Mul(x, Sigmoid(x))").rule(silu_to_quick_gelu).refuses("neither f32 nor f16"));
}

namespace {

const std::string head = "x: f32[2,N]; ";
/// sqrt(2 / pi) * (x + 0.044715 * x^3) in several spellings.
constexpr std::string_view arguments[] = {
    "Mul(Add(x, Mul(Pow(x, f32[] 3), f32[] 0.044715)), f32[] 0.7978845608)",
    "Mul(f32[] 0.7978845608, Add(Mul(f32[] 0.044715, Mul(x, Mul(x, x))), x))",
    "Mul(Mul(x, f32[] 0.7978845608), Add(f32[] 1, Mul(Mul(f32[] 0.044715, x), x)))",
    "Mul(x, Mul(f32[] 0.7978845608, Add(Mul(f32[] 0.044715, Pow(x, f32[] 2)), f32[] 1)))",
    "Add(Mul(x, f32[] 0.79788456), Mul(Mul(Mul(x, x), x), f32[] 0.0356774081))",
    "Div(Add(x, Mul(f32[] 0.044715, Mul(Mul(x, x), x))), f32[1] 1.25331413732)",
};

std::string gelu_of(std::string_view argument) {
  return "t = Add(f32[] 1, Tanh(" + std::string(argument) + ")); y = Mul(Mul(x, f32[] 0.5), t)";
}

TestResult refuses(const std::string& text, std::string_view reason) {
  return given(head + text).rule(fast_gelu).refuses(reason);
}

}  // namespace

TEST_CASE("fast_gelu whatever way its polynomial is written") {
  for (const std::string_view argument : arguments) {
    INFO(argument);
    CHECK(given(head + gelu_of(argument)).rule(fast_gelu).becomes(head + "y = com.microsoft::FastGelu(x)"));
    CHECK(given(head + gelu_of(argument)).rule(fast_gelu).equivalent());
  }
}

TEST_CASE("fast_gelu in three associations") {
  const std::string tanh = "t = Add(Tanh(" + std::string(arguments[0]) + "), f32[] 1); ";
  for (const std::string_view product :
       {"y = Mul(Mul(x, t), f32[] 0.5)", "y = Mul(Mul(f32[] 0.5, t), x)", "y = Mul(t, Mul(f32[] 0.5, x))"})
    CHECK(given(head + tanh + std::string(product)).rule(fast_gelu).becomes(head + "y = com.microsoft::FastGelu(x)"));
}

TEST_CASE("the standard's Gelu keeps its approximation") {
  CHECK(given("opset 20; " + head + gelu_of(arguments[0]))
            .rule(gelu_by_tanh)
            .becomes("opset 20; " + head + "y = Gelu(x) {approximate=\"tanh\"}"));
  CHECK(given(head + gelu_of(arguments[0])).rule(gelu_by_tanh).refuses("opset"));
  CHECK(given("opset 20; " + head + "y = Gelu(x) {approximate=\"tanh\"}")
            .rule(tanh_gelu_to_fast_gelu)
            .becomes("opset 20; " + head + "y = com.microsoft::FastGelu(x)"));
  CHECK(given("opset 20; " + head + "y = Gelu(x)").rule(tanh_gelu_to_fast_gelu).refuses("approximate"));
}

TEST_CASE("fast_gelu through all variants") {
  CHECK(variants(fast_gelu,
                 head + "p = " + std::string(arguments[0]) +
                     "; t = Add(Tanh(p), f32[] 1);"
                     "h = Mul(x, f32[] 0.5); y = Mul(h, t)",
                 {.atol = 1e-4}));
}

TEST_CASE("fast_gelu refuses") {
  CHECK(refuses(gelu_of("Mul(f32[] 0.79, Add(x, Mul(f32[] 0.044715, Pow(x, f32[] 3))))"), "another polynomial"));
  CHECK(refuses(gelu_of("Mul(f32[] 0.79788456, Add(x, Mul(f32[] 0.05, Pow(x, f32[] 3))))"), "another polynomial"));
  CHECK(refuses(gelu_of("Mul(f32[] 0.79788456, Add(x, Mul(f32[] 0.044715, Pow(x, f32[] 4))))"), "no polynomial"));
  CHECK(refuses(gelu_of("Mul(f32[] 0.79788456, Sin(x))"), "no polynomial"));
  CHECK(refuses(gelu_of("Mul(f32[1,1,1] 0.79788456, Add(x, Mul(f32[] 0.044715, Pow(x, f32[] 3))))"), "no polynomial"));
  CHECK(refuses("z: f32[2,N]; y = Mul(Mul(z, f32[] 0.5), Add(f32[] 1, Tanh(" + std::string(arguments[0]) + ")))",
                "no polynomial"));
}

namespace {

const std::string head = "opset 20; x: f32[2,N,4]; b = f32[4] random; ";

}  // namespace

TEST_CASE("bias_gelu of both Gelus") {
  for (const std::string op : {"Gelu", "com.microsoft::Gelu"}) {
    CHECK(
        given(head + "y = " + op + "(Add(x, b))").rule(bias_gelu).becomes(head + "y = com.microsoft::BiasGelu(x, b)"));
    CHECK(given(head + "y = " + op + "(Add(b, x))").rule(bias_gelu).equivalent());
  }
}

TEST_CASE("a bias does not change the approximation") {
  const std::string by_tanh = head + "y = Gelu(Add(x, b)) {approximate=\"tanh\"}";
  CHECK(given(by_tanh).rule(bias_gelu).refuses(""));
  CHECK(given(by_tanh).rule(bias_fast_gelu).becomes(head + "y = com.microsoft::FastGelu(x, b)"));
  CHECK(given(head + "y = com.microsoft::FastGelu(Add(b, x))")
            .rule(bias_fast_gelu)
            .becomes(head + "y = com.microsoft::FastGelu(x, b)"));
  CHECK(given(head + "y = Gelu(Add(x, b))").rule(bias_fast_gelu).refuses(""));
}

TEST_CASE("bias_gelu through all variants") {
  CHECK(variants(bias_gelu, head + "h = Add(x, b); y = Gelu(h)", {.atol = 1e-5}));
  CHECK(variants(bias_fast_gelu, head + "h = Add(x, b); y = com.microsoft::FastGelu(h)", {.atol = 1e-5}));
}

TEST_CASE("bias_gelu refuses") {
  const auto refuses = [](const std::string& text, std::string_view reason) {
    return given("opset 20; " + text).rule(bias_gelu).refuses(reason);
  };
  CHECK(refuses("x: f32[2,4]; y = Gelu(Add(x, f32[1] 1))", "last extent"));
  CHECK(refuses("x: f32[2,4]; y = Gelu(Add(x, f32[2,1] 1))", "last extent"));
  CHECK(refuses("x: f32[2,N]; y = Gelu(Add(x, f32[4] 1))", "last extent"));
  CHECK(refuses("x: f32[2,4]; h = Add(x, f32[4] 1); y = Gelu(h); return y, h", "graph output"));
  CHECK(refuses("x: f64[2,4]; y = Gelu(Add(x, f64[4] 1))", "neither f32 nor f16"));
}
