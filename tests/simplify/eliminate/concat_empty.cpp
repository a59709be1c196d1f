#include <graft/simplify/eliminate/concat_empty.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("concat_empty drops what has nothing along the axis") {
  const std::string head = "x: f32[2,N]; z: f32[2,0]; y: f32[2,3]; ";
  CHECK(given(head + "r = Concat(z, x, f32[2,0] 0, y) {axis=-1}")
            .rule(concat_empty)
            .becomes(head + "r = Concat(x, y) {axis=-1}"));
  CHECK(given(head + "r = Concat(x, z) {axis=1}").rule(concat_empty).becomes(head + "r = Concat(x) {axis=1}"));
  CHECK(given(head + "r = Concat(z, z) {axis=1}").rule(concat_empty).becomes(head + "r = Concat(z) {axis=1}"));
  CHECK(given("x: f32; z: f32[0]; r = Concat(x, z) {axis=0}")
            .rule(concat_empty)
            .becomes("x: f32; z: f32[0]; r = Concat(x) {axis=0}"));
}

TEST_CASE("concat_empty refuses") {
  // Empty along another axis: it has its extent along this one.
  CHECK(given("x: f32[0,2]; y: f32[0,3]; r = Concat(x, y) {axis=1}").rule(concat_empty).refuses("known to be empty"));
  CHECK(given("x: f32[2,N]; y: f32[2,M]; r = Concat(x, y) {axis=1}").rule(concat_empty).refuses("known to be empty"));
  CHECK(given("x: f32; y: f32[0]; r = Concat(x, y) {axis=-1}").rule(concat_empty).refuses("axis"));
}

TEST_CASE("concat_empty through all variants") {
  CHECK(variants(concat_empty, "x: f32[2,N]; z = f32[2,0] 0; h = Relu(x); r = Concat(h, z, h) {axis=1}; y = Neg(r)"));
}
