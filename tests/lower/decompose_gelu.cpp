#include <graft/lower/decompose_gelu.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

const std::string by_erf = "y = Mul(Mul(f32[] 0.5, h), Add(f32[] 1, Erf(Mul(h, f32[] 0.70710678))))";
const std::string by_tanh =
    "y = Mul(Mul(f32[] 0.5, h), Add(f32[] 1,"
    "Tanh(Mul(f32[] 0.79788456, Add(h, Mul(f32[] 0.044715, Mul(Mul(h, h), h)))))))";

}  // namespace

TEST_CASE("Gelus become their parts") {
  const std::string head = "opset 20; h: f32[2,4]; ", biased = "opset 20; x: f32[2,4]; b: f32[4]; ";
  for (const std::string op : {"Gelu(h)", "com.microsoft::Gelu(h)"})
    CHECK(given(head + "y = " + op).pass(decompose_gelus()).becomes(head + by_erf));
  for (const std::string op : {"Gelu(h) {approximate=\"tanh\"}", "com.microsoft::FastGelu(h)"})
    CHECK(given(head + "y = " + op).pass(decompose_gelus()).becomes(head + by_tanh));
  CHECK(given(biased + "y = com.microsoft::BiasGelu(x, b)")
            .pass(decompose_gelus())
            .becomes(biased + "h = Add(x, b); " + by_erf));
  CHECK(given(biased + "y = com.microsoft::FastGelu(x, b)")
            .pass(decompose_gelus())
            .becomes(biased + "h = Add(x, b); " + by_tanh));
}

TEST_CASE("Gelus taken apart give what they gave") {
  for (const std::string op :
       {"Gelu(h)", "Gelu(h) {approximate=\"tanh\"}", "com.microsoft::Gelu(h)", "com.microsoft::FastGelu(h)",
        "com.microsoft::FastGelu(h, f32[4] random)", "com.microsoft::BiasGelu(h, f32[4] random)"}) {
    INFO(op);
    CHECK(given("opset 20; h: f32[2,4]; y = " + op).pass(decompose_gelus()).equivalent());
  }
  CHECK(variants(decompose_gelu, "opset 20; x: f32[2,4]; h = Gelu(x); y = Neg(h)", {.atol = 1e-5}));
  CHECK(variants(decompose_tanh_gelu, "x: f32[2,4]; b = f32[4] random; h = com.microsoft::FastGelu(x, b); y = Neg(h)",
                 {.atol = 1e-4}));
}

TEST_CASE("decompose_gelu refuses") {
  CHECK(given("opset 20; x: f32[2]; y = Gelu(x) {approximate=\"tanh\"}").rule(decompose_gelu).refuses(""));
  CHECK(given("opset 20; x: f32[2]; y = Gelu(x)").rule(decompose_tanh_gelu).refuses(""));
  CHECK(given("opset 6; x: f32[2]; y = com.microsoft::Gelu(x)").rule(decompose_gelu).refuses("opset 7"));
}

TEST_CASE("Gelu by Erf needs opset 9") {
  CHECK(given("opset 8; x: f32[2,4]; y = com.microsoft::Gelu(x)").rule(decompose_gelu).refuses("opset 9"));
  CHECK(given("opset 9; x: f32[2,4]; y = com.microsoft::Gelu(x)").rule(decompose_gelu).equivalent());
}
