#include <graft/transformer/fuse/gelu.hpp>

#include <string>
#include <string_view>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

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
  CHECK(refuses(gelu_of("Mul(f32[] 0.79788456, Add(x, Mul(f32[] 0.044715, Pow(x, f32[] 4))))"), "not a polynomial"));
  CHECK(refuses(gelu_of("Mul(f32[] 0.79788456, Sin(x))"), "not a polynomial"));
  CHECK(
      refuses(gelu_of("Mul(f32[1,1,1] 0.79788456, Add(x, Mul(f32[] 0.044715, Pow(x, f32[] 3))))"), "not a polynomial"));
  CHECK(refuses("z: f32[2,N]; y = Mul(Mul(z, f32[] 0.5), Add(f32[] 1, Tanh(" + std::string(arguments[0]) + ")))",
                "not a polynomial"));
}
