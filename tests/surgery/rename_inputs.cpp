#include <graft/surgery/rename_inputs.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/testing.hpp>

#include "sound.hpp"

using namespace graft;
using Catch::Contains;

namespace {

const std::string with_body =
    "x: f32[2]; z: f32[2]; c: bool[]; y = If(c) {then_branch={ t = Add(x, z) }, else_branch={ e = Sub(x, z) }}";

std::string inputs_of(const Model& model) {
  std::string names;
  for (const Value* const input : model.graph().inputs()) names += std::string(input->name()) + " ";
  return names;
}

}  // namespace

TEST_CASE("inputs get new names, and uses follow, in bodies too", "[rename_inputs]") {
  Model model = graph(with_body);
  CHECK(rename_inputs({{"x", "left"}, {"z", "right"}}).run(model).changes == 2);
  CHECK(unsound(model).empty());
  CHECK(inputs_of(model) == "left right c ");
  CHECK(isomorphic(graph(with_body), model));
  const onnx::NodeProto& branch = model.proto().graph().node(0).attribute(0).g().node(0);
  CHECK(branch.input(0) == "left");
  CHECK(branch.input(1) == "right");
}

TEST_CASE("two inputs swap their names", "[rename_inputs]") {
  Model model = graph("x: f32[2]; z: f32[2]; y = Sub(x, z)");
  CHECK(rename_inputs({{"x", "z"}, {"z", "x"}}).run(model).changes == 2);
  CHECK(unsound(model).empty());
  CHECK(inputs_of(model) == "z x ");
  CHECK(equivalent(graph("x: f32[2]; z: f32[2]; y = Sub(z, x)").graph(), model.graph()));
}

TEST_CASE("an input with a default keeps it", "[rename_inputs]") {
  Model model = graph("x: f32[2]; w: f32[2] = 3; y = Add(x, w)");
  rename_inputs({{"w", "bias"}}).run(model);
  CHECK(unsound(model).empty());
  CHECK(model.proto().graph().input(1).name() == "bias");
  CHECK(model.proto().graph().initializer(0).name() == "bias");
}

TEST_CASE("an input that is an output as well stays one under its old name", "[rename_inputs]") {
  Model model = graph("x: f32[2]; y = Neg(x); return y, x");
  rename_inputs({{"x", "in"}}).run(model);
  CHECK(unsound(model).empty());
  CHECK(isomorphic(graph("in: f32[2]; y = Neg(in); x = Identity(in); return y, x"), model));
  CHECK(model.proto().graph().output(1).name() == "x");
  CHECK(inputs_of(model) == "in ");
}

TEST_CASE("what is known of the tensors goes with the names", "[rename_inputs]") {
  Model model = graph("x: f32[2]; z: f32[2]; y = Sub(x, z)");
  Context context;
  context.facts.provide(Ranges{{"x", Range{-1, 1}}, {"z", Range{-2, 2}}});
  rename_inputs({{"x", "z"}, {"z", "x"}}).run(model, context);
  CHECK(context.facts.find<Ranges>()->find("z")->max == 1);
  CHECK(context.facts.find<Ranges>()->find("x")->max == 2);
}

TEST_CASE("names of nothing, and clashes, are errors", "[rename_inputs]") {
  const auto why = [](const std::string& text, std::vector<std::pair<std::string, std::string>> names) {
    return refusal(graph(text), rename_inputs(std::move(names)));
  };
  const std::string two = "x: f32[2]; z: f32[2]; w = f32[2] 1; h = Add(x, z); y = Add(h, w)";
  CHECK_THAT(why(two, {{"q", "a"}}), Contains("q: is no input of the graph"));
  CHECK_THAT(why(two, {{"h", "a"}}), Contains("is no input"));
  CHECK_THAT(why(two, {{"w", "a"}}), Contains("is no input"));
  CHECK_THAT(why(two, {{"z", "a"}, {"x", "h"}}), Contains("x: cannot be renamed to 'h': the name is taken"));
  CHECK_THAT(why(two, {{"x", "z"}}), Contains("the name is taken"));
  CHECK_THAT(why(two, {{"x", "a"}, {"z", "a"}}), Contains("two values"));
  CHECK_THAT(why(two, {{"x", "a"}, {"x", "b"}}), Contains("twice"));
  CHECK_THAT(why(two, {{"x", ""}}), Contains("empty"));
  CHECK_THAT(why(with_body, {{"c", "t"}}), Contains("taken in a body"));
  CHECK(why(two, {{"x", "x"}}).empty());
}
