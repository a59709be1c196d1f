#include <graft/simplify/broadcast.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("broadcast_expand leaves broadcasting to the operator") {
  const std::string head = "c: bool[B,1,1,S]; x: f32[B,4,S,S]; ";
  CHECK(given(head + "y = Where(Expand(c, Shape(x)), f32[] 1, x)")
            .rule(broadcast_expand)
            .becomes(head + "y = Where(c, f32[] 1, x)"));
  // The extents are known to be the same, or 1.
  CHECK(given(head + "m: f32[B,1,1,S]; y = Add(x, Expand(m, Concat(Shape(m) {end=2}, i64[1] 1, Shape(m) {start=3}) "
                     "{axis=0}))")
            .rule(broadcast_expand)
            .becomes(head + "m: f32[B,1,1,S]; y = Add(x, m)"));
  CHECK(given("x: f32[2,3]; z: f32[3]; y = Max(x, Expand(z, i64[2] {2, 3}), x)")
            .rule(broadcast_expand)
            .becomes("x: f32[2,3]; z: f32[3]; y = Max(x, z, x)"));
}

TEST_CASE("broadcast_expand refuses what makes the result larger") {
  const auto refuses = [](const std::string& text) {
    return given("x: f32[B,S]; z: f32[1]; n: i64[2]; " + text).rule(broadcast_expand).refuses("extents of another");
  };
  CHECK(refuses("y = Mul(Expand(z, n), x)"));
  CHECK(refuses("y = Mul(Expand(z, Shape(x)), z)"));
  CHECK(refuses("y = Mul(Expand(z, i64[3] {2, 1, 1}), x)"));
  CHECK(refuses("e = Expand(z, n); y = Mul(e, e)"));
}

TEST_CASE("broadcast_expand through all variants") {
  CHECK(variants(broadcast_expand, "x: f32[2,3]; z: f32[3]; y = Sub(Expand(z, Shape(x)), x)"));
}
