#include <string>

#include <catch2/catch.hpp>

#include <graft/graph/onnx.hpp>
#include <graft/graph/tensor_proto.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

void add_node(onnx::GraphProto& graph, const char* op, std::initializer_list<const char*> inputs, const char* output) {
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type(op);
  for (const char* input : inputs) node.add_input(input);
  node.add_output(output);
}

void add_constant(onnx::GraphProto& graph, const char* name, Tensor value) {
  write_tensor(std::move(value), *graph.add_initializer());
  graph.mutable_initializer()->rbegin()->set_name(name);
}

/// Outputs a constant under the name "y".
onnx::GraphProto constant_branch(const char* name, Tensor value) {
  onnx::GraphProto graph;
  graph.set_name(name);
  add_constant(graph, "c", std::move(value));
  add_node(graph, "Identity", {"c"}, "y");
  graph.add_output()->set_name("y");
  return graph;
}

/// Carries sum, collects each sum, and goes on while it is below 10: sum = sum + iteration.
onnx::GraphProto summing_body() {
  onnx::GraphProto graph;
  graph.set_name("body");
  for (const char* input : {"iteration", "condition", "sum"}) graph.add_input()->set_name(input);
  add_constant(graph, "ten", Tensor::scalar<std::int64_t>(10));
  add_node(graph, "Add", {"sum", "iteration"}, "next");
  add_node(graph, "Less", {"next", "ten"}, "goes_on");
  add_node(graph, "Identity", {"next"}, "seen");
  for (const char* output : {"goes_on", "next", "seen"}) graph.add_output()->set_name(output);
  return graph;
}

Tensor flag(bool value) { return Tensor::scalar(value); }

}  // namespace

TEST_CASE("If runs the branch that its condition picks") {
  const Attributes branches{{"then_branch", constant_branch("then", floats({1}))},
                            {"else_branch", constant_branch("else", ints({2, 3}))}};
  CHECK(same(run(16, "If", {flag(true)}, branches), floats({1})));
  CHECK(same(run(16, "If", {flag(false)}, branches), ints({2, 3})));
}

TEST_CASE("Loop carries values and collects others until its condition or its count ends it") {
  const Attributes body{{"body", summing_body()}};
  const Tensor start = Tensor::scalar<std::int64_t>(0);
  const auto by_condition = run_op(16, "Loop", {Tensor(), Tensor(), start}, body, 2);
  CHECK(same(by_condition[0], Tensor::scalar<std::int64_t>(10)));
  CHECK(same(by_condition[1], ints({0, 1, 3, 6, 10})));
  const auto by_count = run_op(16, "Loop", {Tensor::scalar<std::int64_t>(3), flag(true), start}, body, 2);
  CHECK(same(by_count[0], Tensor::scalar<std::int64_t>(3)));
  CHECK(same(by_count[1], ints({0, 1, 3})));
  const auto never = run_op(16, "Loop", {Tensor(), flag(false), start}, body, 2);
  CHECK(same(never[0], start));
  CHECK(never[1].size() == 0);
}

TEST_CASE("Loop does not collect what is packed below a byte") {
  onnx::GraphProto graph = summing_body();
  onnx::NodeProto& narrowed = *graph.mutable_node(2);
  narrowed.set_op_type("Cast");
  onnx::AttributeProto& to = *narrowed.add_attribute();
  to.set_name("to");
  to.set_type(onnx::AttributeProto::INT);
  to.set_i(static_cast<std::int64_t>(DType::i4));
  const Tensor start = Tensor::scalar<std::int64_t>(0);
  try {
    run_op(21, "Loop", {Tensor::scalar<std::int64_t>(3), Tensor(), start}, {{"body", graph}}, 2);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find("i4 is not supported") != std::string::npos);
  }
}
