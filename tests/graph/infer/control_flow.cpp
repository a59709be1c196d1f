#include <graft/graph/infer/control_flow.hpp>

#include <catch2/catch.hpp>

#include <graft/graph/build.hpp>
#include <graft/graph/infer.hpp>

#include "graph/infer/told.hpp"

using namespace graft;

namespace {

/// A body of nodes "out = Op(in, ...)" with these inputs ("name:type", "name") and outputs.
onnx::GraphProto body(std::vector<std::string> inputs, std::vector<std::vector<std::string>> nodes,
                      std::vector<std::string> outputs) {
  onnx::GraphProto graph;
  graph.set_name("body");
  for (const std::string& input : inputs) {
    onnx::ValueInfoProto& info = *graph.add_input();
    info.set_name(input.substr(0, input.find(':')));
    if (input.find(':') != std::string::npos) *info.mutable_type() = type_of(input.substr(input.find(':') + 1));
  }
  for (const auto& words : nodes) {
    onnx::NodeProto& node = *graph.add_node();
    node.add_output(words[0]);
    node.set_op_type(words[1]);
    for (std::size_t i = 2; i < words.size(); ++i) node.add_input(words[i]);
  }
  for (const std::string& output : outputs) graph.add_output()->set_name(output);
  return graph;
}

/// The body of a Loop that carries one value through Relu: inputs i, go and the carried one, outputs as named.
onnx::GraphProto loop_body(const std::string& carried, const std::vector<std::string>& outputs) {
  return body({"i", "go", carried}, {{"on", "Identity", "go"}, {"y", "Relu", "carried"}}, outputs);
}

std::string types(const Node& node) {
  std::string text;
  for (const Value& output : node.outputs()) {
    text += (text.empty() ? "" : " ") + (output.type() != nullptr ? to_string(*output.type()) : "?");
  }
  return text;
}

std::string text(const Verdict& verdict) { return verdict ? "yes" : to_string(verdict.reason()); }

Node& make_if(Builder& build, Value& condition) {
  build.input("x", DType::f32, {Dim("N"), 3});
  return build.node("If", {&condition}, 1,
                    {{"then_branch", body({}, {{"a", "Relu", "x"}}, {"a"})},
                     {"else_branch", body({}, {{"b", "Shape", "x"}, {"d", "Transpose", "x"}}, {"d"})}});
}

}  // namespace

TEST_CASE("If: the output is what both branches give") {
  Builder build(17);
  Node& node = make_if(build, build.input("condition", DType::boolean, {}));
  REQUIRE(infer_node(node));
  CHECK(types(node) == "f32[?,?]");
  CHECK(to_string(*node.bodies()[0].graph->find("a")->type()) == "f32[N,3]");
  CHECK(to_string(*node.bodies()[1].graph->find("d")->type()) == "f32[3,N]");
}

TEST_CASE("If: a known condition chooses") {
  for (const bool condition : {true, false}) {
    Builder build(17);
    Node& node = make_if(build, build.constant(Tensor::scalar(condition), "condition"));
    REQUIRE(infer_node(node));
    CHECK(types(node) == (condition ? "f32[N,3]" : "f32[3,N]"));
  }
}

TEST_CASE("If: branches that differ in dtype are refused") {
  Builder build(17);
  Value& condition = build.input("condition", DType::boolean, {});
  build.input("x", DType::f32, {2});
  Node& node = build.node("If", {&condition}, 1,
                          {{"then_branch", body({}, {{"a", "Relu", "x"}}, {"a"})},
                           {"else_branch", body({}, {{"b", "Shape", "x"}}, {"b"})}});
  CHECK(text(infer_node(node)) == "an output may have two different dtypes");
}

TEST_CASE("Loop: carried values keep what all iterations share, elements are stacked") {
  Builder build(17);
  Value& count = build.constant(Tensor::scalar<std::int64_t>(4), "count");
  Value& x = build.input("x", DType::f32, {2, Dim("N")});
  Node& node = build.node("Loop", {&count, nullptr, &x}, 2,
                          {{"body", loop_body("carried:f32[2,N]", {"on", "y", "y"})}});
  REQUIRE(infer_node(node));
  CHECK(types(node) == "f32[2,N] f32[?,2,N]");
  CHECK(to_string(*node.bodies()[0].graph->find("i")->type()) == "i64[]");
  CHECK(to_string(*node.bodies()[0].graph->find("go")->type()) == "bool[]");
}

TEST_CASE("Loop: the shape of a carried value may change") {
  Builder build(17);
  Value& x = build.input("x", DType::f32, {2, Dim("N")});
  Node& node = build.node("Loop", {nullptr, nullptr, &x}, 1, {{"body", loop_body("carried", {"on", "y"})}});
  REQUIRE(infer_node(node));
  CHECK(types(node) == "f32");
}

TEST_CASE("Loop: extents that a body declares otherwise than the initial value has them are open") {
  Builder build(17);
  Value& x = build.input("x", DType::f32, {2, Dim("N"), 5});
  Node& node = build.node("Loop", {nullptr, nullptr, &x}, 1, {{"body", loop_body("carried:f32[3,1,5]", {"on", "y"})}});
  REQUIRE(infer_node(node));
  CHECK(to_string(*node.bodies()[0].graph->inputs()[2]->type()) == "f32[?,?,5]");
}

TEST_CASE("Loop: a body that contradicts its inputs is refused") {
  Builder build(17);
  Value& x = build.input("x", DType::f32, {2});
  Node& node = build.node("Loop", {nullptr, nullptr, &x}, 1, {{"body", loop_body("carried:i64", {"on", "y"})}});
  CHECK(text(infer_node(node)) == "a value is declared with another dtype than the inferred one");
  Node& short_of_inputs = build.node("Loop", {nullptr, nullptr, &x}, 1, {{"body", body({"i"}, {}, {})}});
  CHECK(text(infer_node(short_of_inputs)) == "the body has fewer inputs or outputs than the node");
}

TEST_CASE("Scan: sequences are taken apart and put together along their axes") {
  Builder build(17);
  Value& state = build.input("state", DType::f32, {3});
  Value& sequence = build.input("sequence", DType::f32, {3, Dim("T")});
  Node& node = build.node("Scan", {&state, &sequence}, 2,
                          {{"num_scan_inputs", 1},
                           {"scan_input_axes", Ints{1}},
                           {"scan_output_axes", Ints{-1}},
                           {"body", body({"s", "e"}, {{"t", "Add", "s", "e"}, {"o", "Relu", "t"}}, {"t", "o"})}});
  REQUIRE(infer_node(node));
  CHECK(types(node) == "f32[3] f32[3,T]");
  CHECK(to_string(*node.bodies()[0].graph->find("e")->type()) == "f32[3]");
}

TEST_CASE("Scan 8 has a batch axis and sequence lengths") {
  Builder build(8);
  Value& state = build.input("state", DType::f32, {Dim("B"), 3});
  Value& sequence = build.input("sequence", DType::f32, {Dim("B"), Dim("T"), 3});
  Node& node = build.node("Scan", {nullptr, &state, &sequence}, 2,
                          {{"num_scan_inputs", 1},
                           {"body", body({"s", "e"}, {{"t", "Add", "s", "e"}, {"o", "Relu", "t"}}, {"t", "o"})}});
  REQUIRE(infer_node(node));
  CHECK(types(node) == "f32[B,3] f32[B,T,3]");
}

TEST_CASE("the bodies of operators that nobody knows are inferred as well") {
  Builder build(17);
  build.import("my", 1);
  Value& x = build.input("x", DType::f32, {2});
  Node& node = build.node("my::Repeat", {&x}, 1, {{"body", body({}, {{"y", "Relu", "x"}}, {"y"})}});
  REQUIRE(infer_node(node));
  CHECK(to_string(*node.bodies()[0].graph->find("y")->type()) == "f32[2]");
}
