#include <graft/simplify/fold/constant_if.hpp>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("constant_if leaves the branch that is taken") {
  const auto branches = [](std::string_view condition) {
    return "x: f32[2]; c = " + std::string(condition) +
           "; y = Neg(If(c) {then_branch={ k = f32[2] {1, 2}; t = Mul(Relu(x), k) }, else_branch={ u = Abs(x) }})";
  };
  CHECK(given(branches("bool[] true"))
            .rule(constant_if)
            .becomes("x: f32[2]; k = f32[2] {1, 2}; y = Neg(Mul(Relu(x), k))"));
  CHECK(given(branches("bool[1] false")).rule(constant_if).becomes("x: f32[2]; y = Neg(Abs(x))"));
  CHECK(given(branches("bool[] true")).rule(constant_if).equivalent());
}

TEST_CASE("constant_if with several outputs, names that are graph outputs, and bodies within") {
  CHECK(given("x: f32[2]; c = bool[] true; d: bool[];"
              "y, z = If(c) {then_branch={ a = Relu(x); b = If(d) {then_branch={ p = Neg(a) }, else_branch={ q = Abs(x)"
              "}}; return a, b }, else_branch={ e = Neg(x); f = Neg(x); return e, f }}; return y, z")
            .rule(constant_if)
            .becomes("x: f32[2]; d: bool[]; y = Relu(x);"
                     "z = If(d) {then_branch={ p = Neg(y) }, else_branch={ q = Abs(x) }}; return y, z"));
}

TEST_CASE("constant_if goes down into what it has opened") {
  CHECK(given("x: f32[2]; c = bool[] true;"
              "y = If(c) {then_branch={ t = If(c) {then_branch={ p = Neg(x) }, else_branch={ q = Abs(x) }} },"
              "else_branch={ u = Relu(x) }}")
            .rule(constant_if)
            .becomes("x: f32[2]; y = Neg(x)"));
}

TEST_CASE("constant_if through all variants") {
  const VariantReport report =
      variants(constant_if, "x: f32[2,N]; c = bool[] true; h = Relu(x);"
                            "y = If(c) {then_branch={ t = Neg(h) }, else_branch={ u = Abs(h) }}; z = Neg(y)");
  CHECK(report);
  CHECK(report.find("another consumer of %y")->outcome == Variant::Outcome::equivalent);
  CHECK(report.find("%c as an input that callers may override")->outcome == Variant::Outcome::refused);
}

TEST_CASE("constant_if refuses a condition that is not constant") {
  CHECK(given("x: f32[2]; c: bool[]; y = If(c) {then_branch={ t = Neg(x) }, else_branch={ u = Abs(x) }}")
            .rule(constant_if)
            .refuses("constant"));
}

TEST_CASE("constant_if refuses a condition that is no bool") {
  CHECK(given("x: f32[2]; c = f32[] 1; y = If(c) {then_branch={ t = Neg(x) }, else_branch={ u = Abs(x) }}")
            .rule(constant_if)
            .refuses("dtype"));
}
