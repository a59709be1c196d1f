#include <graft/simplify/eliminate/remove_identity.hpp>

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
  CHECK(refuses("x: f32[2]; c: bool[]; h = Relu(x);"
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
