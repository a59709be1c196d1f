#include <graft/simplify/fold/cast_constant_of_shape.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("cast_constant_of_shape converts the value") {
  const std::string head = "s: i64[2]; ";
  CHECK(given(head + "y = Cast(ConstantOfShape(s) {value=f32[1] 2.75}) {to=i64}")
            .rule(cast_constant_of_shape)
            .becomes(head + "y = ConstantOfShape(s) {value=i64[1] 2}"));
  CHECK(given(head + "y = Cast(ConstantOfShape(s)) {to=bool}")
            .rule(cast_constant_of_shape)
            .becomes(head + "y = ConstantOfShape(s) {value=bool[1] false}"));
  CHECK(given(head + "y = Cast(ConstantOfShape(s) {value=i64[1] -1}) {to=f16}")
            .rule(cast_constant_of_shape)
            .becomes(head + "y = ConstantOfShape(s) {value=f16[1] -1}"));
}

TEST_CASE("cast_constant_of_shape refuses") {
  const auto refuses = [](const std::string& value, const std::string& to, std::string_view reason) {
    return given("s: i64[2]; y = Cast(ConstantOfShape(s) {value=" + value + "}) {to=" + to + "}")
        .rule(cast_constant_of_shape)
        .refuses(reason);
  };
  CHECK(refuses("f32[1] -3.4e38", "i32", "out of the range"));
  CHECK(refuses("i64[1] -1", "u8", "out of the range"));
  CHECK(refuses("f32[1] 128", "i8", "out of the range"));
  CHECK(refuses("f32[1] 1", "bf16", "no such dtype"));  // from 20 on
  CHECK(refuses("f32[1] 1", "string", "no such dtype"));
}

TEST_CASE("cast_constant_of_shape through all variants") {
  const VariantReport report =
      variants(cast_constant_of_shape,
               "x: f32[2,N]; s = Shape(x); h = ConstantOfShape(s) {value=f32[1] 3}; y = Cast(h) {to=i32}");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::equivalent);
}
