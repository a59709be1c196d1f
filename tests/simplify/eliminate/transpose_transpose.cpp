#include <graft/simplify/eliminate/transpose_transpose.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("transpose_transpose composes") {
  CHECK(given("x: f32[2,3,4]; y = Transpose(Transpose(x) {perm=[1,2,0]}) {perm=[0,2,1]}")
            .rule(transpose_transpose)
            .becomes("x: f32[2,3,4]; y = Transpose(x) {perm=[1,0,2]}"));
  CHECK(given("x: f32; y = Transpose(Transpose(x)) {perm=[1,2,0]}")
            .rule(transpose_transpose)
            .becomes("x: f32; y = Transpose(x) {perm=[1,0,2]}"));
  CHECK(given("x: f32; y = Transpose(Transpose(x) {perm=[1,2,0]})")
            .rule(transpose_transpose)
            .becomes("x: f32; y = Transpose(x) {perm=[0,2,1]}"));
  CHECK(given("x: f32[2,3]; y = Transpose(Transpose(x))")
            .rule(transpose_transpose)
            .becomes("x: f32[2,3]; y = Transpose(x) {perm=[0,1]}"));
}

TEST_CASE("transpose_transpose through all variants") {
  const VariantReport report = variants(
      transpose_transpose, "x: f32[2,3,4]; h = Transpose(x) {perm=[1,2,0]}; y = Transpose(h) {perm=[1,2,0]}");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("perm=[2,1,0] at %h")->outcome == Variant::Outcome::equivalent);
  CHECK(variants(transpose_transpose, "x: f32[N,2,3]; h = Transpose(x); y = Transpose(h)"));
}

TEST_CASE("transpose_transpose takes a whole chain") {
  Model model = graph("x: f32[2,3,4]; a = Transpose(x) {perm=[1,2,0]}; b = Transpose(a) {perm=[1,2,0]};"
                      "y = Transpose(b) {perm=[1,2,0]}");
  fixpoint(transpose_transpose).run(model);
  REQUIRE(model.graph().nodes().size() == 1);
  CHECK(model.graph().first_node()->attr<Ints>("perm") == Ints{0, 1, 2});
}

TEST_CASE("transpose_transpose refuses what tells no rank") {
  CHECK(given("x: f32; y = Transpose(Transpose(x))").rule(transpose_transpose).refuses("declines"));
}
