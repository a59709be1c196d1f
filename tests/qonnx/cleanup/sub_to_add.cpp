#include <graft/qonnx/cleanup/sub_to_add.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("taking a constant away is adding its negative", "[qonnx]") {
  const Trial trial =
      given("x: f32[2]; c = f32[2] {1, -2.5}; y = Sub(x, c); z = Mul(x, c)").pass(qonnx::subs_to_adds());
  CHECK(trial.becomes("x: f32[2]; y = Add(x, f32[2] {-1, 2.5}); z = Mul(x, f32[2] {1, -2.5})"));
  CHECK(trial.equivalent({.atol = 0, .rtol = 0}));
}

TEST_CASE("the least integer is its own negative", "[qonnx]") {
  const Trial trial = given("x: i32[3]; y = Sub(x, i32[3] {-2147483648, 5, -7})").pass(qonnx::subs_to_adds());
  CHECK(trial.becomes("x: i32[3]; y = Add(x, i32[3] {-2147483648, -5, 7})"));
}

TEST_CASE("unsigned constants and computed values stay", "[qonnx]") {
  for (const std::string text : {"x: u8[2]; y = Sub(x, u8[2] {1, 2})", "x: f32[2]; z: f32[2]; y = Sub(x, z)",
                                 "x: f32[2]; y = Sub(f32[2] {1, 2}, x)"})
    CHECK(given(text).rule(qonnx::sub_to_add).refuses());
}

TEST_CASE("sub_to_add through all variants", "[qonnx]") {
  CHECK(variants(qonnx::sub_to_add, "x: f32[2]; c = f32[2] {1, 2}; h = Sub(x, c); y = Neg(h)"));
}
