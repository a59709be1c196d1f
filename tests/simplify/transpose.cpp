#include <graft/simplify/transpose.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/simplify/no_op.hpp>
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
  const VariantReport report =
      variants(transpose_transpose, "x: f32[2,3,4]; h = Transpose(x) {perm=[1,2,0]}; y = Transpose(h) {perm=[1,2,0]}");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("perm=[2,1,0] at %h")->outcome == Variant::Outcome::equivalent);
  CHECK(variants(transpose_transpose, "x: f32[N,2,3]; h = Transpose(x); y = Transpose(h)"));
}

TEST_CASE("transpose_transpose takes a whole chain") {
  Model model = graph(
      "x: f32[2,3,4]; a = Transpose(x) {perm=[1,2,0]}; b = Transpose(a) {perm=[1,2,0]};"
      "y = Transpose(b) {perm=[1,2,0]}");
  fixpoint(transpose_transpose).run(model);
  REQUIRE(model.graph().nodes().size() == 1);
  CHECK(model.graph().first_node()->attr<Ints>("perm") == Ints{0, 1, 2});
}

TEST_CASE("transpose_transpose refuses what tells no rank") {
  CHECK(given("x: f32; y = Transpose(Transpose(x))").rule(transpose_transpose).refuses("declines"));
}

TEST_CASE("two Transposes become one before the nodes between them") {
  CHECK(given("x: f32[2,3,4,5]; y = Transpose(Relu(Transpose(x) {perm=[0,2,3,1]})) {perm=[0,2,3,1]}")
            .rule(transpose_elementwise_transpose)
            .becomes("x: f32[2,3,4,5]; y = Relu(Transpose(x) {perm=[0,3,1,2]})"));
  CHECK(given("x: f32[2,3,4]; a = Clip(Mul(Transpose(x), f32[1] 2), f32[] 0, f32[] 6); y = Transpose(a)")
            .pass(fixpoint(transpose_elementwise_transpose, remove_transpose))
            .becomes("x: f32[2,3,4]; y = Clip(Mul(x, f32[1] 2), f32[] 0, f32[] 6)"));
}

TEST_CASE("transpose_elementwise_transpose through all variants") {
  const VariantReport report = variants(transpose_elementwise_transpose,
                                        "x: f32[2,3,4]; c = f32[] 2; t = Transpose(x) {perm=[1,2,0]}; a = Add(t, c);"
                                        "h = LeakyRelu(a) {alpha=0.5}; y = Transpose(h) {perm=[1,2,0]}");
  CHECK(report);
  for (const std::string_view inner : {"t", "a", "h"})
    CHECK(report.find("another consumer of %" + std::string(inner))->outcome == Variant::Outcome::refused);
}

TEST_CASE("transpose_elementwise_transpose refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(text).rule(transpose_elementwise_transpose).refuses(reason);
  };
  CHECK(refuses("x: f32[2,3]; y = Transpose(Add(Transpose(x), f32[2] {1, 2}))", "not one element"));
  CHECK(refuses("x: f32[2,3]; y = Transpose(Add(Transpose(x), f32[1,1,1] 1)) {perm=[0,1,2]}", "not one element"));
  CHECK(refuses("x: f32; y = Transpose(Relu(Transpose(x)))", "rank"));
  CHECK(refuses("x: f32[2,3]; y = Transpose(Transpose(x))", "no node is between the Transposes"));
  CHECK(refuses("x: f32[2,3]; y = Transpose(Softmax(Transpose(x)))", ""));
}

TEST_CASE("Transposes in a row are joined before anything is built again for them") {
  const std::string two = "Transpose(Transpose(";
  Model model = graph("x: f32[2,3]; y = Relu(" + two + "Abs(" + two + "Neg(" + two + "x)))))))))");
  const Report report = fixpoint(transpose_transpose, transpose_elementwise_transpose, remove_transpose).run(model);
  REQUIRE(report.converged());
  CHECK(model.graph().nodes().size() == 3);
  CHECK(report.rules[1].applied == 0);
  // Without the rule that joins them, they move together, at once.
  Model alone = graph("x: f32[2,3]; y = Transpose(Transpose(Transpose(Relu(Transpose(x)))))");
  CHECK(fixpoint(transpose_elementwise_transpose).run(alone).rules[0].applied == 1);
  CHECK(given("x: f32[2,3,4]; y = Transpose(Transpose(Relu(Transpose(x) {perm=[1,0,2]})) {perm=[0,2,1]})")
            .rule(transpose_elementwise_transpose)
            .becomes("x: f32[2,3,4]; y = Relu(Transpose(x) {perm=[0,2,1]})"));
  CHECK(given("x: f32; y = Transpose(Transpose(Relu(Transpose(x) {perm=[1,0,2]})))")
            .rule(transpose_elementwise_transpose)
            .becomes("x: f32; y = Relu(Transpose(x) {perm=[1,0,2]})"));
  CHECK(given("x: f32[2,3,4]; t = Transpose(Relu(Transpose(x))); y = Transpose(t); z = Abs(t)")
            .rule(transpose_elementwise_transpose)
            .becomes("x: f32[2,3,4]; t = Relu(Transpose(x) {perm=[0,1,2]}); y = Transpose(t); z = Abs(t)"));
}

TEST_CASE("rows of elementwise operators that Transposes pass are bounded") {
  const auto row = [](int length) {
    std::string value = "Transpose(x)";
    for (int i = 0; i < length; ++i) value = "Neg(" + value + ")";
    return "x: f32[2,3]; y = Transpose(" + value + ")";
  };
  CHECK(given(row(64)).rule(transpose_elementwise_transpose).equivalent());
  CHECK(given(row(65)).rule(transpose_elementwise_transpose).refuses("too many nodes"));
}
