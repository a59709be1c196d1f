#include <graft/simplify/concat.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("concat_concat at any position") {
  const std::string inputs = "a: f32[2,1]; b: f32[2,N]; c: f32[2,3]; ";
  for (const auto& [given_text, wanted] :
       {std::pair("y = Concat(Concat(a, b) {axis=1}, c) {axis=1}", "y = Concat(a, b, c) {axis=1}"),
        std::pair("y = Concat(a, Concat(b, c) {axis=-1}) {axis=1}", "y = Concat(a, b, c) {axis=1}"),
        std::pair("y = Concat(a, Concat(b) {axis=1}, c) {axis=-1}", "y = Concat(a, b, c) {axis=-1}"),
        std::pair("h = Concat(a, b) {axis=1}; y = Concat(h, h) {axis=1}", "y = Concat(a, b, a, b) {axis=1}"),
        std::pair("y = Concat(Concat(a, b) {axis=1}, Concat(Concat(c) {axis=1}, a) {axis=1}) {axis=1}",
                  "y = Concat(a, b, c, a) {axis=1}")}) {
    INFO(given_text);
    CHECK(given(inputs + given_text).rule(concat_concat).becomes(inputs + wanted));
  }
}

TEST_CASE("concat_concat through all variants") {
  const VariantReport report = variants(
      concat_concat, "a: f32[2,2]; b: f32[2,2]; c: f32[2,2]; h = Concat(a, b) {axis=1}; y = Concat(a, h, c) {axis=1}");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::refused);
  CHECK(report.find("axis of %h from the other end")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("axis=0 at every Concat")->outcome == Variant::Outcome::equivalent);
  // The inner one would make rows of two, and does not fit.
  CHECK(given("a: f32[2,2]; h = Concat(a, a) {axis=0}; y = Concat(h, h) {axis=1}").rule(concat_concat).refuses("axis"));
}

TEST_CASE("concat_concat repeats few operands") {
  // Sixteen operands are fine, seventeen are not; an inner Concat that is read once may bring any number.
  const std::string inputs = "a: f32[2]; b: f32[2]; ";
  const std::string eight = "h = Concat(a, b, a, b, a, b, a, b) {axis=0}; ";
  const std::string flat = "a, b, a, b, a, b, a, b";
  CHECK(given(inputs + eight + "y = Concat(h, h) {axis=0}")
            .rule(concat_concat)
            .becomes(inputs + "y = Concat(" + flat + ", " + flat + ") {axis=0}"));
  CHECK(given(inputs + eight + "y = Concat(h, a, h) {axis=0}").rule(concat_concat).refuses("repeated"));
  CHECK(given(inputs + eight + "y = Concat(" + flat + ", b, h) {axis=0}")
            .rule(concat_concat)
            .becomes(inputs + "y = Concat(" + flat + ", b, " + flat + ") {axis=0}"));
}

TEST_CASE("concat_concat goes through a chain of doublings in few steps") {
  const auto chain = [](int links, int doublings) {  // each link reads the one before 2^doublings times
    std::string text = "a: f32[1]";
    std::string last = "a";
    for (int i = 0; i < links; ++i) {
      std::string operands = last;
      for (int k = 1; k < (1 << doublings); ++k) operands += ", " + last;
      last = "h" + std::to_string(i);
      text += "; " + last + " = Concat(" + operands + ") {axis=0}";
    }
    return text;
  };
  CHECK(given(chain(20, 1)).rule(concat_concat).becomes(chain(5, 4)));
}

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
