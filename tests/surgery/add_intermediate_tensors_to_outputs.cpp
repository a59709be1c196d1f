#include <graft/surgery/add_intermediate_tensors_to_outputs.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "sound.hpp"

using namespace graft;
using Catch::Contains;

namespace {

std::string outputs_of(const Model& model) {
  std::string names;
  for (const onnx::ValueInfoProto& output : model.proto().graph().output())
    names += output.name() + ":" + to_string(output.type()) + " ";
  return names;
}

const std::string text = "x: f32[2]; w = f32[2] 1; a = Neg(x); b = ArgMax(a) {axis=0}; y = Add(a, w)";

}  // namespace

TEST_CASE("values that are named become outputs in their order", "[add_intermediate_tensors_to_outputs]") {
  Model model = graph(text + "; return y");
  CHECK(add_intermediate_tensors_to_outputs({"b", "a", "y", "w", "x", "a"}).run(model).changes == 4);
  CHECK(unsound(model).empty());
  CHECK(outputs_of(model) == "y:f32[2] b:i64[1] a:f32[2] w:f32[2] x:f32[2] ");
}

TEST_CASE("without names, all that nodes make", "[add_intermediate_tensors_to_outputs]") {
  Model model = graph(text + "; h = own::Op(y); z = own::Op(h); return y, z");
  const Report report = add_intermediate_tensors_to_outputs().run(model);
  CHECK(report.changes == 2);
  REQUIRE(report.notes.size() == 1);
  CHECK_THAT(report.notes[0], Contains("'h'"));
  model.commit();
  CHECK(model.proto().graph().output(2).name() == "a");
  CHECK(model.proto().graph().output(3).name() == "b");
}

TEST_CASE("a name of nothing, or of what has no type, is an error", "[add_intermediate_tensors_to_outputs]") {
  CHECK_THAT(refusal(graph(text), add_intermediate_tensors_to_outputs({"a", "q"})), Contains("q: is no value"));
  CHECK_THAT(refusal(graph("x: f32[2]; h = own::Op(x); y = own::Op(h)"), add_intermediate_tensors_to_outputs({"h"})),
             Contains("its type is not known"));
}
