#include <graft/lower/four_d/reduction.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("LpNormalization goes along the last of four axes") {
  CHECK(given("x: f32[1,2,4,5]; y = LpNormalization(x) {axis=2, p=1}")
            .pass(four_d_lp_normalization())
            .becomes("x: f32[1,2,4,5]; y = LpNormalization(x) {axis=-1, p=1}"));
  CHECK(given("x: f32[1,2,4,5]; y = LpNormalization(x) {axis=2}").pass(four_d_lp_normalization()).idempotent());
  CHECK(given("x: f32[1,2,4,5]; y = LpNormalization(x)").pass(four_d_lp_normalization()).refuses("already"));
  CHECK(given("x: f32[2,4,5]; y = LpNormalization(x) {axis=1}").pass(four_d_lp_normalization()).refuses("rank 3"));
}
