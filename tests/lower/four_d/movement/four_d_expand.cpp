#include <graft/lower/four_d/movement.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("a shape of three entries gets a 1 in front, for this Expand alone") {
  CHECK(given("x: f32[4]; s = i64[3] {2,3,4}; y = Expand(x, s); z: f32[24]; r = Reshape(z, s)")
            .pass(four_d_expand())
            .changes_signature()
            .becomes("x: f32[4]; s = i64[3] {2,3,4}; y = Expand(x, i64[4] {1,2,3,4}); z: f32[24]; r = Reshape(z, s)"));
  CHECK(given("x: f32[4]; y = Expand(x, i64[3] {2,3,4})").pass(four_d_expand()).changes_signature().idempotent());
}

TEST_CASE("four_d_expand refuses") {
  CHECK(given("x: f32[4]; y = Expand(x, i64[2] {3,4})").pass(four_d_expand()).refuses("three entries"));
  CHECK(given("x: f32[4]; s: i64[3]; y = Expand(x, s)").pass(four_d_expand()).refuses("not constant"));
}
