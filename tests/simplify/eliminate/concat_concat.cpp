#include <graft/simplify/eliminate/concat_concat.hpp>

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
