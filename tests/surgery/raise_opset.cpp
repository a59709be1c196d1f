#include <graft/surgery/raise_opset.hpp>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <google/protobuf/text_format.h>
#include <graft/evaluate/evaluator.hpp>
#include <graft/graph/verify.hpp>
#include <graft/surgery/inline_functions.hpp>
#include <graft/testing.hpp>

#include "support/data.hpp"
#include "support/protos.hpp"

using namespace graft;
using Catch::Matchers::Contains;

namespace {

/// y = own::F(x), of a function that imports the same opset.
Model with_function(const std::string& nodes, int opset = 11) {
  const std::string imports = "opset_import { version: " + std::to_string(opset) + " } ";
  onnx::ModelProto proto;
  REQUIRE(google::protobuf::TextFormat::ParseFromString(
      "ir_version: 8 opset_import { domain: 'own' version: 1 } " + imports +
          "graph { name: 'g' node { op_type: 'F' domain: 'own' input: 'x' output: 'y' } input { name: 'x' type { "
          "tensor_type { elem_type: 1 shape { dim { dim_value: 1 } dim { dim_value: 2 } } } } } output { name: 'y' } }"
          "functions { name: 'F' domain: 'own' input: 'a' output: 'b' " + imports + nodes + " }",
      &proto));
  return Model(std::move(proto));
}

}  // namespace

TEST_CASE("bodies are raised with the graph around them") {
  CHECK(given("opset 11; x: f32[1,2]; c: bool[];"
              "y = If(c) {then_branch={ t = Squeeze(x) {axes=[0]} }, else_branch={ u = ReduceSum(x) {axes=[0], "
              "keepdims=0} }}")
            .pass(raise_opset(13))
            .becomes("opset 13; x: f32[1,2]; c: bool[];"
                     "y = If(c) {then_branch={ t = Squeeze(x, i64[1] 0) },"
                     "else_branch={ u = ReduceSum(x, i64[1] 0) {keepdims=0} }}"));
}

TEST_CASE("other domains keep their version, and their operators") {
  Model model = graph("opset 11; opset com.microsoft 1; x: f32[2]; y = com.microsoft::Gelu(x)");
  raise_opset(model, 13);
  CHECK(model.opset() == 13);
  CHECK(model.opset("com.microsoft") == 1);
}

TEST_CASE("the ir_version follows, and initializers that were inputs stay constants") {
  Model model = graph("ir 3; opset 8; x: f32[2]; w: f32[2] = 3; y = Add(x, w)");
  raise_opset(model, 13);
  CHECK(model.ir_version() == 7);
  CHECK(model.graph().find("w")->is_constant());
  CHECK(model.commit().graph().input_size() == 1);
  CHECK(model.proto().opset_import(0).version() == 13);
}

TEST_CASE("each opset has the ir_version that ONNX gives it") {
  for (const auto& [opset, version] :
       {std::pair{21, 10}, std::pair{23, 11}, std::pair{24, 12}, std::pair{25, 13}, std::pair{26, 13}}) {
    Model model = graph("opset 17; x: f32[2]; y = Relu(x)");
    raise_opset(model, opset);
    CHECK(model.ir_version() == version);
  }
}

TEST_CASE("an input that a caller may override already stays one") {
  Model model = graph("ir 4; opset 9; x: f32[2]; w: f32[2] = 3; y = Add(x, w)");
  raise_opset(model, 13);
  CHECK(model.graph().inputs().size() == 2);
}

TEST_CASE("local functions of an older version are raised too") {
  Model model = with_function(
      "node { op_type: 'Squeeze' input: 'a' output: 's' attribute { name: 'axes' type: INTS ints: 0 } }"
      "node { op_type: 'Softmax' input: 's' output: 'b' attribute { name: 'axis' type: INT i: 0 } }");
  const auto result = [](Model& one) {
    Model inlined = one.clone();
    inline_functions().run(inlined);
    return Evaluator(inlined.graph()).run({{"x", Tensor::of<float>({1, 2}, {1, 3})}})[0].to<float>();
  };
  const std::vector<float> before = result(model);
  raise_opset(model, 13);
  const onnx::ModelProto& proto = model.commit();
  REQUIRE(proto.functions_size() == 1);
  CHECK(proto.functions(0).opset_import(0).version() == 13);
  CHECK(proto.opset_import(1).version() == 13);
  Model again(proto);
  for (const Problem& problem : verify(again)) FAIL_CHECK(to_string(problem));
  CHECK(result(again) == before);
}

TEST_CASE("overloads of a local function are raised, and called as before") {
  onnx::ModelProto proto = with_function("node { op_type: 'Neg' input: 'a' output: 'b' }").proto();
  onnx::FunctionProto& other = *proto.add_functions();
  other = proto.functions(0);
  REQUIRE(google::protobuf::TextFormat::ParseFromString(
      "op_type: 'ReduceSum' input: 'a' output: 'b' attribute { name: 'axes' type: INTS ints: 1 }",
      other.mutable_node(0)));
  set_newer(other, 13, "sum");  // overload
  set_newer(*proto.mutable_graph()->mutable_node(0), 8, "sum");
  Model model(proto);
  raise_opset(model, 13);
  REQUIRE(model.functions().size() == 2);
  CHECK(model.find_function("own::F")->first_node()->is("Neg"));
  CHECK(model.find_function("own::F", "sum")->last_node()->input(1) != nullptr);  // its axes
  Model again(model.commit());
  for (const Problem& problem : verify(again)) FAIL_CHECK(to_string(problem));
  inline_functions().run(again);
  CHECK(Evaluator(again.graph()).run({{"x", Tensor::of<float>({1, 2}, {1, 3})}})[0].to<float>() ==
        std::vector<float>{4});
}

TEST_CASE("two functions that no call can tell apart are not raised") {
  onnx::ModelProto proto = with_function("node { op_type: 'Neg' input: 'a' output: 'b' }").proto();
  onnx::FunctionProto& other = *proto.add_functions();
  other = proto.functions(0);
  Model model(proto);
  const std::string before = model.serialize();
  CHECK_THROWS_WITH(raise_opset(model, 13), Contains("function 'F'"));
  CHECK(model.serialize() == before);
}

TEST_CASE("a function that cannot be raised leaves the model as it was, and is to be inlined") {
  const auto check = [](Model model, const std::string& why) {
    const std::string before = model.serialize();
    CHECK_THROWS_WITH(raise_opset(model, 13), Contains(why) && Contains("InlineFunctions"));
    CHECK(model.serialize() == before);
  };
  check(with_function("node { op_type: 'Softmax' input: 'a' output: 'b' "
                      "attribute { name: 'axis' ref_attr_name: 'along' type: INT } }"),
        "parameter of a function");
  check(with_function("node { op_type: 'Clip' input: 'a' output: 'b' "
                      "attribute { name: 'min' type: FLOAT f: 1 } }", 10),
        "dtype of its inputs is unknown");
}

TEST_CASE("what cannot be raised is named, and the model stays as it was") {
  Model model = graph("opset 8; x: f32[1,2,3,3]; s = f32[2] 1; h = Clip(x) {min=0.0};"
                      "y = Relu(BatchNormalization(h, s, s, s, s) {spatial=0})");
  const std::string before = model.serialize();
  CHECK_THROWS_WITH(raise_opset(model, 13),
                    Contains("BatchNormalization") && Contains("spatial") && Contains("cannot be raised"));
  CHECK(model.serialize() == before);
  CHECK_THROWS_WITH(raise_opset(model, 99), Contains("newer"));
  Model unknown = graph("opset 8; x: f32[2]; y = Relu(x)");
  unknown.graph().set_op(*unknown.graph().first_node(), "NoSuchOperator");
  CHECK_THROWS_WITH(raise_opset(unknown, 13), Contains("NoSuchOperator"));
}

TEST_CASE("a model that is there already is left alone") {
  Model model = graph("opset 17; x: f32[2]; y = Relu(x)");
  const std::string before = model.serialize();
  raise_opset(model, 13);
  CHECK(raise_opset(13).run(model).changes == 0);
  CHECK(model.serialize() == before);
}

TEST_CASE("the pass serves those that need an opset") {
  const Pass needy = pass("needy", [](Graph&, Context&) {}).needs(needs_opset(13));
  Model model = graph("opset 11; x: f32[1,2]; y = Squeeze(x) {axes=[0]}");
  CHECK_THROWS_WITH(needy.run(model), Contains("raise_opset"));
  (raise_opset(13) | needy).run(model);
  CHECK(model.opset() == 13);
}

TEST_CASE("the real models are raised, and compute what they did", "[slow][data]") {
  TEST_DATA(folder, "models");
  for (const std::string name : {"mobilenetv2", "squeezenet", "ultraface_rfb320", "mnist"}) {
    INFO(name);
    if (!std::filesystem::exists(folder / (name + ".onnx"))) continue;
    Model model = Model::load(folder / (name + ".onnx"));
    const Trial trial = given(model).pass(raise_opset(15)).changes_signature();
    CHECK(trial.equivalent({.inputs = 1, .atol = 1e-4, .dims = {{"N", 1}, {"batch", 1}}}));
    raise_opset(15).run(model);
    for (const Problem& problem : verify(model)) FAIL_CHECK(to_string(problem));
  }
}
