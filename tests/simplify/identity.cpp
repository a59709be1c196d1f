#include <graft/simplify/identity.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("remove_identity hands the name of a graph output to what is in front") {
  CHECK(given("x: f32[2]; y = Identity(Relu(Identity(x)))").rule(remove_identity).becomes("x: f32[2]; y = Relu(x)"));
}

TEST_CASE("remove_identity through all variants") {
  const VariantReport report = variants(remove_identity, "x: f32[2,N]; h = Relu(x); i = Identity(h); y = Neg(i)");
  CHECK(report);
  CHECK(report.find("another consumer of %h")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("%i as a graph output")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("capture of %i by an If body")->outcome == Variant::Outcome::equivalent);
}

TEST_CASE("remove_identity leaves what gives a graph output its name") {
  const auto refuses = [](std::string_view text) {
    return given(text).rule(remove_identity).refuses("gives a graph output its name");
  };
  CHECK(refuses("x: f32[2]; y = Identity(x)"));
  CHECK(refuses("x: f32[2]; w = f32[2] 1; y = Identity(w); z = Relu(x)"));
  CHECK(refuses("x: f32[2]; z = Relu(x); y = Identity(z); return y, z"));
  CHECK(
      refuses("x: f32[2]; c: bool[]; h = Relu(x);"
              "y = If(c) {then_branch={ t = Identity(h) }, else_branch={ u = Neg(h) }}"));
}

TEST_CASE("remove_identity in a body, of a constant, of a sequence") {
  CHECK(given("x: f32[2]; c: bool[]; y = If(c) {then_branch={ t = Identity(Neg(Identity(x))) }, else_branch={ u ="
              "Abs(x) }}")
            .rule(remove_identity)
            .becomes("x: f32[2]; c: bool[]; y = If(c) {then_branch={ t = Neg(x) }, else_branch={ u = Abs(x) }}"));
  CHECK(given("x: f32[2]; w = f32[2] 1; y = Add(x, Identity(w))")
            .rule(remove_identity)
            .becomes("x: f32[2]; w = f32[2] 1; y = Add(x, w)"));
  CHECK(given("x: sequence(f32[2]); i: i64[]; y = SequenceAt(Identity(x), i)")
            .rule(remove_identity)
            .becomes("x: sequence(f32[2]); i: i64[]; y = SequenceAt(x, i)"));
}

TEST_CASE("remove_dropout in inference, in each spelling") {
  for (const std::string_view text : {"x: f32[2]; y = Neg(Dropout(x))", "x: f32[2]; y = Neg(Dropout(x, f32[] 0.3))",
                                      "x: f32[2]; r: f32[]; y = Neg(Dropout(x, r, bool[] false) {seed=3})"})
    CHECK(given(text).rule(remove_dropout).equivalent({.atol = 0}));
  CHECK(given("opset 10; x: f32[2]; y = Neg(Dropout(x) {ratio=0.3})")
            .rule(remove_dropout)
            .becomes("opset 10; x: f32[2]; y = Neg(x)"));
  CHECK(given("opset 6; x: f32[2]; y = Neg(Dropout(x) {is_test=1})")
            .rule(remove_dropout)
            .becomes("opset 6; x: f32[2]; y = Neg(x)"));
}

TEST_CASE("a Dropout of nothing goes, in training too") {
  for (const std::string_view f : {"Dropout(x, f32[] 0, bool[] true)", "Dropout(x, f32[] 0, t)"})
    CHECK(given("x: f32[2]; t: bool[]; y = Neg(" + std::string(f) + ")")
              .rule(remove_dropout_of_0)
              .becomes("x: f32[2]; t: bool[]; y = Neg(x)"));
  CHECK(given("opset 6; x: f32[2]; y = Neg(Dropout(x) {ratio=0})")
            .rule(remove_dropout_of_0)
            .becomes("opset 6; x: f32[2]; y = Neg(x)"));
  CHECK(given("x: f32[2]; y = Neg(Dropout(x, f32[] 0.1, bool[] true))").rule(remove_dropout_of_0).refuses("ratio"));
  CHECK(variants(remove_dropout_of_0, "x: f32[2,N]; h = Relu(x); d = Dropout(h, f32[] 0); y = Neg(d)"));
}

TEST_CASE("a mask is true everywhere, and is not stored") {
  CHECK(given("x: f32[2,3]; d, mask = Dropout(x); y = Neg(d); z = Not(mask)")
            .rule(remove_dropout_with_mask)
            .becomes("x: f32[2,3]; y = Neg(x); z = Not(ConstantOfShape(i64[2] {2, 3}) {value=bool[1] true})"));
  for (const char* const more_nodes :
       {"x: f32[2,N]; d, mask = Dropout(x); y = Neg(d); z = Not(mask)", "x: f32[2,3]; y, mask = Dropout(x)",
        "x: f32; d, mask = Dropout(x); y = Neg(d); z = Not(mask)"})
    CHECK(given(more_nodes).rule(remove_dropout_with_mask).refuses("more nodes"));
  CHECK(given("x: f32[2,3]; d, mask = Dropout(x); y = Neg(d); return y")
            .rule(remove_dropout_with_mask)
            .refuses("unused"));
  CHECK(
      variants(remove_dropout_with_mask, "x: f32[2,3]; h = Relu(x); d, mask = Dropout(h); y = Neg(d); z = Not(mask)"));
}

TEST_CASE("remove_dropout through all variants") {
  const VariantReport report = variants(remove_dropout, "x: f32[2,N]; d = Dropout(Relu(x), f32[] 0.3); y = Neg(d)");
  CHECK(report);
  CHECK(report.find("%d as a graph output")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("%d without input ratio")->outcome == Variant::Outcome::equivalent);
}

TEST_CASE("remove_dropout refuses") {
  const auto refuses = [](std::string_view text, std::string_view reason) {
    return given(text).rule(remove_dropout).refuses(reason);
  };
  CHECK(refuses("x: f32[2]; y = Neg(Dropout(x, _, bool[] true))", "all_equal"));
  CHECK(refuses("x: f32[2]; t: bool[]; y = Neg(Dropout(x, _, t))", "constant"));
  CHECK(refuses("opset 6; x: f32[2]; y = Neg(Dropout(x))", "is_test"));
  CHECK(refuses("x: f32[2]; d, mask = Dropout(x); y = Neg(d); return y, mask", "without a successor"));
}
