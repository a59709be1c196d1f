#include <graft/transformer/fuse/gelu.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

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
