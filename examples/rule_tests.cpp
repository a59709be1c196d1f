// Tests for a custom rule, with graft's test kit and no test framework. Each check is a value that converts to bool and
// explains a failure.
#include <iostream>

#include <graft/rewrite.hpp>
#include <graft/testing.hpp>

namespace {

using namespace graft;

inline constexpr auto x = val<"x">;
inline constexpr auto relu_relu = rule<"relu-relu">(op<"Relu">(op<"Relu">(x)), op<"Relu">(x));

int failures = 0;

void check(const char* what, const auto& result) {
  std::cout << (result ? "ok    " : "FAIL  ") << what << "\n";
  if (!result) std::cout << result << "\n";
  failures += !result;
}

}  // namespace

int main() {
  const char* const twice = "x: f32[2,N]; y = Relu(Relu(x))";
  check("two become one", given(twice).rule(relu_relu).becomes("x: f32[2,N]; y = Relu(x)"));
  check("the values are the same", given(twice).rule(relu_relu).equivalent({.inputs = 20, .atol = 0}));
  check("an inner value that is read elsewhere stays",
        given("x: f32[2]; a = Relu(x); y = Relu(a); z = Neg(a)").rule(relu_relu).refuses("used"));
  check("every derived case refuses or stays equivalent", variants(relu_relu, twice));
  return failures == 0 ? 0 : 1;
}
