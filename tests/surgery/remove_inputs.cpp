#include <graft/surgery/remove_inputs.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "sound.hpp"

using namespace graft;
using Catch::Contains;

namespace {

TestResult becomes(const std::string& text, std::vector<std::string> names, const std::string& wanted) {
  Model model = graph(text);
  remove_inputs(std::move(names)).run(model);
  CHECK(unsound(model).empty());
  return isomorphic(graph(wanted), model);
}

std::string why_not(const std::string& text, std::vector<std::string> names) {
  return refusal(graph(text), remove_inputs(std::move(names)));
}

}  // namespace

TEST_CASE("operands of variadic operators are left out", "[remove_inputs]") {
  CHECK(becomes("x: f32[2]; z: f32[2]; w: f32[2]; y = Sum(x, z, w)", {"z"}, "x: f32[2]; w: f32[2]; y = Sum(x, w)"));
  CHECK(becomes("x: f32[2]; z: f32[3]; y = Concat(z, x, z) {axis=0}", {"z"}, "x: f32[2]; y = Concat(x) {axis=0}"));
}

TEST_CASE("optional inputs are absent", "[remove_inputs]") {
  CHECK(becomes("x: f32[2]; a: f32[]; b: f32[]; y = Clip(x, a, b)", {"a"}, "x: f32[2]; b: f32[]; y = Clip(x, _, b)"));
  CHECK(becomes("x: f32[2]; a: f32[]; b: f32[]; y = Clip(x, a, b)", {"b", "a"}, "x: f32[2]; y = Clip(x)"));
  CHECK(becomes("x: f32[1,2,4,4]; b: f32[3]; y = Conv(x, f32[3,2,1,1] 1, b)", {"b"},
                "x: f32[1,2,4,4]; y = Conv(x, f32[3,2,1,1] 1)"));
}

TEST_CASE("of two operands the other one remains", "[remove_inputs]") {
  CHECK(becomes("x: f32[2]; z: f32[2]; y = Neg(Add(z, x))", {"z"}, "x: f32[2]; y = Neg(x)"));
  CHECK(becomes("x: f32[2]; z: f32[2]; y = Div(Neg(x), z)", {"z"}, "x: f32[2]; y = Neg(x)"));
  CHECK(becomes("x: f32[2]; z: f32[2]; y = Mul(x, z)", {"z"}, "x: f32[2]; y = Identity(x)"));
  Model model = graph("x: f32[2]; z: f32[4,2]; y = Mul(x, z)");
  remove_inputs({"z"}).run(model);
  CHECK(to_string(model.commit().graph().output(0).type()) == "f32[2]");
}

TEST_CASE("what cannot do without goes, and what that made", "[remove_inputs]") {
  CHECK(becomes("x: f32[2]; z: f32[2]; y = Sum(x, Neg(Abs(z)))", {"z"}, "x: f32[2]; y = Sum(x)"));
  CHECK(becomes("x: f32[2]; z: f32[2]; y = Add(Sub(z, x), x)", {"z"}, "x: f32[2]; y = Identity(x)"));
  CHECK(becomes("x: f32[2]; z: f32[2]; s, t = Split(z) {axis=0}; y = Sum(x, Neg(s), Exp(t))", {"z"},
                "x: f32[2]; y = Sum(x)"));
  // Constant has no inputs to begin with.
  CHECK(becomes("x: f32[2]; z: f32[2]; k = Constant() {value=f32[2] 1}; y = Sum(x, z, k)", {"z"},
                "x: f32[2]; k = Constant() {value=f32[2] 1}; y = Sum(x, k)"));
}

TEST_CASE("captures in bodies are uses, and a default goes with its input", "[remove_inputs]") {
  CHECK(becomes("x: f32[2]; z: f32[2]; c: bool[]; y = If(c) {then_branch={ t = Sum(x, z) }, else_branch={ e = Neg(x) "
                "}}",
                {"z"}, "x: f32[2]; c: bool[]; y = If(c) {then_branch={ t = Sum(x) }, else_branch={ e = Neg(x) }}"));
  Model model = graph("x: f32[2]; w: f32[2] = 3; y = Sum(x, w)");
  remove_inputs({"w"}).run(model);
  CHECK(model.commit().graph().initializer_size() == 0);
  CHECK(model.proto().graph().input_size() == 1);
}

TEST_CASE("outputs stay, or the pass throws", "[remove_inputs]") {
  CHECK_THAT(why_not("x: f32[2]; z: f32[2]; y = Neg(z); v = Abs(x); return y, v", {"z"}),
             Contains("y: the output cannot be computed"));
  CHECK_THAT(why_not("x: f32[2]; y = Neg(x); return y, x", {"x"}), Contains("cannot be computed"));
  CHECK_THAT(why_not("x: f32[2]; z: f32[2]; y = own::Op(x, z)", {"z"}), Contains("is not known"));
  CHECK_THAT(why_not("x: f32[2]; y = Neg(x)", {"y"}), Contains("is no input"));
  CHECK_THAT(why_not("x: f32[2]; z: f32[2]; y = Add(z, z)", {"z"}), Contains("cannot be computed"));
  CHECK_THAT(why_not("x: f32[2]; z: f32[4,2]; y = Reshape(Add(x, z), i64[1] 8)", {"z"}), Contains("fit together"));
}
