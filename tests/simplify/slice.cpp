#include <graft/simplify/slice.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("slice_slice along other axes puts both into one") {
  CHECK(
      given(
          "x: f32[N,5]; y = Slice(Slice(x, i64[1] 1, i64[1] -1, i64[1] 0), i32[1] -4, i32[1] -9, i32[1] 1, i32[1] -2)")
          .rule(slice_slice)
          .becomes("x: f32[N,5]; y = Slice(x, i64[2] {1, -4}, i64[2] {-1, -9}, i64[2] {0, 1}, i64[2] {1, -2})"));
}

TEST_CASE("slice_slice before opset 10") {
  const std::string head = "opset 9; x: f32[6,N]; ";
  CHECK(given(head + "y = Slice(Slice(x) {starts=[1], ends=[5]}) {starts=[1,0], ends=[9,3], axes=[0,1]}")
            .rule(slice_slice)
            .becomes(head + "y = Slice(x) {starts=[2,0], ends=[5,3], axes=[0,1]}"));
  CHECK(variants(slice_slice,
                 head + "h = Slice(x) {starts=[-5], ends=[9], axes=[-2]}; y = Slice(h) {starts=[1], ends=[3]}"));
}

TEST_CASE("slice_slice along the same axis") {
  CHECK(given("x: f32[2,9]; y = Slice(Slice(x, i64[1] -8, i64[1] 8, i64[1] -1, i64[1] 2), i64[2] {0, 1},"
              "i64[2] {1, 9})")
            .rule(slice_slice)
            .becomes("x: f32[2,9]; y = Slice(x, i64[2] {0, 3}, i64[2] {1, 8}, i64[2] {0, 1}, i64[2] {1, 2})"));
  CHECK(given("x: f32[2,N]; y = Slice(Slice(x, i64[1] -8, i64[1] 9, i64[1] 1), i64[1] 1, i64[1] 2, i64[1] 1)")
            .rule(slice_slice)
            .refuses("depends on an extent"));
  CHECK(given("x: f32[6,N]; y = Slice(Slice(x, i64[1] 1, i64[1] 5, i64[1] 0), i64[2] 0, i64[2] 1, i64[1] 0)")
            .rule(slice_slice)
            .refuses("differ in length"));
}

TEST_CASE("slice_slice through all variants") {
  const VariantReport report =
      variants(slice_slice,
               "x: f32[6,N]; h = Slice(x, i64[2] {-1, 1}, i64[2] {-9, 9}, i64[2] {0, 1}, i64[2] {-2, 1});"
               "y = Slice(h, i64[1] 1, i64[1] 3, i64[1] 0, i64[1] 1)");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("axes of %h from the other end")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("%y without input steps")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("opset 11")->outcome == Variant::Outcome::equivalent);
}
