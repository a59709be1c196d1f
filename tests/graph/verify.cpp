#include <graft/graph/verify.hpp>

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/build.hpp>

#include "graph/infer/told.hpp"
#include "support/data.hpp"

using namespace graft;

namespace {

std::vector<std::string> problems(Graph& graph) {
  std::vector<std::string> texts;
  for (const Problem& problem : verify(graph)) texts.push_back(problem.text);
  return texts;
}

using Texts = std::vector<std::string>;

/// The problems of a single node of these inputs.
Texts of_node(std::string_view op, std::initializer_list<std::string_view> inputs, const Attributes& attributes = {},
              int opset = 17, std::size_t outputs = 1) {
  Builder build(opset);
  std::vector<Value*> values;
  for (const std::string_view type : inputs) {
    const std::string name = "i" + std::to_string(values.size());
    values.push_back(type.empty() ? nullptr : &build.graph().add_input(name, type_of(type)));
  }
  build.graph().insert(op, values, outputs, attributes);
  return problems(build.graph());
}

onnx::GraphProto relu_body(const std::string& input, const std::string& output) {
  onnx::GraphProto body;
  onnx::NodeProto& node = *body.add_node();
  node.set_op_type("Relu");
  node.add_input(input);
  node.add_output(output);
  body.add_output()->set_name(output);
  return body;
}

}  // namespace

TEST_CASE("a sound graph has no problems") {
  Builder build(17);
  Value& x = build.input("x", DType::f32, {1, 3, 8, 8});
  Value& w = build.constant(Tensor(DType::f32, {4, 3, 3, 3}), "w");
  Value& condition = build.input("condition", DType::boolean, {});
  Value& conv = build.op("Conv", {&x, &w}, {{"pads", Ints{1, 1, 1, 1}}});
  build.graph().rename(conv, "conv");
  const Attributes branches = {{"then_branch", relu_body("conv", "a")}, {"else_branch", relu_body("conv", "b")}};
  build.output(build.op("If", {&condition}, branches), "y");
  Model model = build.build();
  infer_shapes(model.graph());
  CHECK(problems(model.graph()).empty());
  CHECK(verify(model).empty());
}

TEST_CASE("verifying changes nothing") {
  Builder build(17);
  Value& y = build.op("Relu", {&build.input("x", DType::f32, {1, 3})});
  const std::uint64_t edits = build.graph().model().edit_count();
  verify(build.graph());
  CHECK(build.graph().model().edit_count() == edits);
  CHECK(y.type() == nullptr);
}

TEST_CASE("operators and domains that are not there") {
  CHECK(of_node("Gelu", {"f32[2]"}) == Texts{"Gelu is no operator of opset 17"});
  CHECK(of_node("NoSuch", {"f32[2]"}) == Texts{"NoSuch is no operator of opset 17"});
  CHECK(of_node("Upsample", {"f32[2]", "f32[1]"}) == Texts{"Upsample is deprecated in opset 17"});
  CHECK(of_node("my::Op", {"f32[2]"}) == Texts{"its domain 'my' is not imported"});
}

TEST_CASE("an opset that is newer than what is known") {
  const Texts newer{"imports opset 99, of which nothing is known: the newest is " +
                    std::to_string(schema::newest_opset)};
  CHECK(of_node("NoSuch", {"f32[2]"}, {}, 99) == newer);
  CHECK(of_node("Relu", {"f32[2]"}, {}, schema::newest_opset).empty());
  Builder build(17);
  build.output(build.op("Relu", {&build.input("x", DType::f32, {1})}), "y");
  onnx::ModelProto proto = build.build().commit();
  onnx::FunctionProto& function = *proto.add_functions();
  function.set_name("F");
  function.set_domain("own");
  function.add_opset_import()->set_version(99);
  Model model(proto);
  const std::vector<Problem> found = verify(model);
  REQUIRE(found.size() == 1);
  CHECK(found[0].text == newer[0]);
  CHECK(found[0].graph == model.functions()[0]);
}

TEST_CASE("a model without outputs") {
  Builder build(17);
  build.op("Relu", {&build.input("x", DType::f32, {1})});
  Model model = build.build();
  CHECK(problems(model.graph()).empty());
  const std::vector<Problem> found = verify(model);
  REQUIRE(found.size() == 1);
  CHECK(found[0].text == "has no outputs");
}

TEST_CASE("inputs and outputs that an operator does not take") {
  CHECK(of_node("Relu", {"f32[2]", "f32[2]"}) == Texts{"takes no 2 inputs"});
  CHECK(of_node("Add", {"f32[2]"}) == Texts{"takes no 1 inputs"});
  CHECK(of_node("Add", {"", "f32[2]"}) == Texts{"lacks input 0, A"});
  CHECK(of_node("Clip", {"f32[2]", "", "f32[]"}).empty());
  CHECK(of_node("Relu", {"f32[2]"}, {}, 17, 2) == Texts{"has no 2 outputs"});
}

TEST_CASE("attributes that an operator does not have, lacks, or has of another kind") {
  CHECK(of_node("Relu", {"f32[2]"}, {{"beta", 1}}) == Texts{"has the attribute 'beta', which Relu-14 does not have"});
  CHECK(of_node("Concat", {"f32[2]"}) == Texts{"lacks the attribute 'axis'"});
  CHECK(of_node("LeakyRelu", {"f32[2]"}, {{"alpha", 1}}) == Texts{"the attribute 'alpha' is int, not float"});
  const Attributes twice = {{"alpha", 1.0f}, {"alpha", 2.0f}};
  CHECK(of_node("LeakyRelu", {"f32[2]"}, twice) == Texts{"has the attribute 'alpha' twice"});
}

TEST_CASE("dtypes that an operator does not take, or that differ where they must not") {
  CHECK(of_node("Relu", {"string[2]"}) == Texts{"input 0 ('i0') is string, which Relu-14 does not take there"});
  CHECK(of_node("Add", {"f32[2]", "f16[2]"}) == Texts{"input 1 ('i1') is f16, where an input before is f32"});
  CHECK(of_node("Where", {"bool[2]", "f32[2]", "f32[2]"}).empty());
}

TEST_CASE("shapes that do not fit, and outputs declared otherwise") {
  CHECK(of_node("MatMul", {"f32[2,3]", "f32[4,5]"}) == Texts{"the matrices do not fit"});
  Builder build(17);
  Value& y = build.op("Relu", {&build.input("x", DType::f32, {1, 3})});
  build.graph().set_type(y, type_of("f32[1,4]"));
  CHECK(problems(build.graph()) == Texts{"a value is declared with extent 4 where 3 follows, at axis 1"});
}

TEST_CASE("an attribute of the wrong kind does not throw where inference reads it") {
  CHECK(of_node("Flatten", {"f32[2]"}, {{"axis", "1"}}).size() == 2);
}

TEST_CASE("nodes of one name") {
  Builder build(17);
  Value& x = build.input("x", DType::f32);
  for (int i = 0; i < 2; ++i) build.graph().rename(*build.op("Relu", {&x}).producer(), "same");
  CHECK(problems(build.graph()) == Texts{"has the name of another node"});
}

TEST_CASE("bodies and functions are verified as well") {
  Builder build(17);
  build.input("x", DType::f32);
  Value& condition = build.input("condition", DType::boolean, {});
  onnx::GraphProto bad = relu_body("x", "b");
  bad.mutable_node(0)->add_input("x");
  build.op("If", {&condition}, {{"then_branch", relu_body("x", "a")}, {"else_branch", bad}});
  const std::vector<Problem> found = verify(build.graph());
  REQUIRE(found.size() == 1);
  CHECK(found[0].text == "takes no 2 inputs");
  CHECK(found[0].graph->owner() == build.graph().last_node());
}

TEST_CASE("the models of the test data go through") {
  TEST_DATA(folder, "models");
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    Model model = Model::load(entry.path());
    infer_shapes(model.graph());
    for (const Problem& problem : verify(model)) {
      INFO(entry.path() << ": " << to_string(problem));
      const bool known = problem.text == "has the name of another node";  // exporters write such
      CHECK(known);
    }
  }
}
