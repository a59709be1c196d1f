#include <graft/surgery/rename_outputs.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "sound.hpp"

using namespace graft;
using Catch::Contains;

namespace {

std::string outputs_of(const Model& model) {
  std::string names;
  for (const onnx::ValueInfoProto& output : model.proto().graph().output()) names += output.name() + " ";
  return names;
}

}  // namespace

TEST_CASE("outputs get new names, and other uses follow, in bodies too", "[rename_outputs]") {
  const std::string text =
      "x: f32[2]; c: bool[]; h = Neg(x); y = If(c) {then_branch={ t = Abs(h) }, else_branch={ e = Exp(h) }}; "
      "return h, y";
  Model model = graph(text);
  CHECK(rename_outputs({{"h", "negated"}, {"y", "result"}}).run(model).changes == 2);
  CHECK(unsound(model).empty());
  CHECK(outputs_of(model) == "negated result ");
  CHECK(isomorphic(graph(text), model));
  CHECK(model.proto().graph().output(0).type().tensor_type().shape().dim(0).dim_value() == 2);
}

TEST_CASE("two outputs swap their names", "[rename_outputs]") {
  Model model = graph("x: f32[2]; y = Neg(x); z = Abs(y); return y, z");
  rename_outputs({{"y", "z"}, {"z", "y"}}).run(model);
  CHECK(unsound(model).empty());
  CHECK(outputs_of(model) == "z y ");
  CHECK(model.graph().find("z")->producer()->is("Neg"));
}

TEST_CASE("an output that is an input keeps that name as an input", "[rename_outputs]") {
  Model model = graph("x: f32[2]; y = Neg(x); return x, y");
  rename_outputs({{"x", "copy"}}).run(model);
  CHECK(unsound(model).empty());
  CHECK(outputs_of(model) == "copy y ");
  CHECK(model.proto().graph().input(0).name() == "x");
  CHECK(isomorphic(graph("x: f32[2]; y = Neg(x); c = Identity(x); return c, y"), model));
}

TEST_CASE("an output that is an initializer is renamed with it", "[rename_outputs]") {
  Model model = graph("x: f32[2]; w = f32[2] 1; y = Add(x, w); return y, w");
  rename_outputs({{"w", "weight"}}).run(model);
  CHECK(unsound(model).empty());
  CHECK(outputs_of(model) == "y weight ");
  CHECK(model.proto().graph().initializer(0).name() == "weight");
}

TEST_CASE("names of no output, and clashes, are errors", "[rename_outputs]") {
  const auto why = [](std::vector<std::pair<std::string, std::string>> names) {
    return refusal(graph("x: f32[2]; h = Neg(x); y = Abs(h)"), rename_outputs(std::move(names)));
  };
  CHECK_THAT(why({{"h", "a"}}), Contains("h: is no output of the graph"));
  CHECK_THAT(why({{"x", "a"}}), Contains("is no output"));
  CHECK_THAT(why({{"y", "h"}}), Contains("the name is taken"));
  CHECK_THAT(why({{"y", ""}}), Contains("empty"));
}
