#include <graft/transformer/fuse/gelu.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

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
