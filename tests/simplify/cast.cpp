#include <graft/simplify/cast.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

namespace {

TestResult joins(const std::string& from, const std::string& between, const std::string& to) {
  const std::string head = "opset 19; x: " + from + "[2]; y = Cast(";
  return given(head + "Cast(x) {to=" + between + "}) {to=" + to + "}")
      .rule(cast_cast)
      .becomes(head + "x) {to=" + to + "}");
}
TestResult stays(const std::string& from, const std::string& between, const std::string& to, std::string_view reason) {
  return given("opset 19; x: " + from + "[2]; y = Cast(Cast(x) {to=" + between + "}) {to=" + to + "}")
      .rule(cast_cast)
      .refuses(reason);
}

}  // namespace

TEST_CASE("cast_cast goes by a dtype that holds all") {
  CHECK(joins("f16", "f32", "f16"));
  CHECK(joins("f16", "f32", "i32"));
  CHECK(joins("bf16", "f32", "f64"));
  CHECK(joins("u8", "i32", "f32"));
  CHECK(joins("i8", "i64", "u8"));
  CHECK(joins("bool", "f32", "i64"));
  CHECK(joins("u8", "f16", "i32"));
  CHECK(joins("i32", "f64", "i64"));
  CHECK(joins("f32", "f32", "f16"));
  CHECK(joins("i64", "i64", "bool"));
}

TEST_CASE("cast_cast refuses what may lose something") {
  const std::string_view loses = "inner Cast may lose";
  CHECK(stays("f32", "f16", "f32", loses));
  CHECK(stays("f16", "bf16", "f32", loses));
  CHECK(stays("i32", "f32", "i32", loses));
  CHECK(stays("u16", "f16", "f32", loses));  // 65504 is the largest
  CHECK(stays("i8", "u8", "i32", loses));
  CHECK(stays("u8", "i8", "i32", loses));
  CHECK(stays("f32", "i64", "f32", loses));
  CHECK(stays("i32", "bool", "f32", loses));
  CHECK(stays("i8", "f32", "u8", "out of the range of the integers"));
  CHECK(stays("i64", "string", "f32", loses));
}

TEST_CASE("cast_cast through all variants") {
  const VariantReport report =
      variants(cast_cast, "x: u8[2,N]; h = Cast(x) {to=i32}; g = Cast(h) {to=f32}; y = Neg(g)");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::equivalent);
}

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
  CHECK(refuses("f32[1] 1", "bf16", "does not support the dtype"));  // from 20 on
  CHECK(refuses("f32[1] 1", "string", "does not support the dtype"));
}

TEST_CASE("cast_constant_of_shape through all variants") {
  const VariantReport report =
      variants(cast_constant_of_shape,
               "x: f32[2,N]; s = Shape(x); h = ConstantOfShape(s) {value=f32[1] 3}; y = Cast(h) {to=i32}");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::equivalent);
}
