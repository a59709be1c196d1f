#pragma once
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/print.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/tensor_proto.hpp>
#include <graft/testing/detail/variations.hpp>

namespace graft::inline v1::detail {

/// Moves the nodes into both branches of an If, which computes the outputs.
inline void move_into_branches(onnx::GraphProto& graph) {
  onnx::GraphProto body;
  body.set_name("branch");
  body.mutable_node()->Swap(graph.mutable_node());
  onnx::NodeProto choice;
  choice.set_op_type("If");
  choice.add_input("inside__condition");
  for (const onnx::ValueInfoProto& output : graph.output()) {
    const std::string& name = output.name();
    const std::string inner = name + "__inside";  // an outer scope has the name already
    for (onnx::NodeProto& node : *body.mutable_node()) {
      std::replace(node.mutable_input()->begin(), node.mutable_input()->end(), name, inner);
      std::replace(node.mutable_output()->begin(), node.mutable_output()->end(), name, inner);
    }
    body.add_output()->set_name(inner);
    choice.add_output(name);
  }
  for (const char* const branch : {"then_branch", "else_branch"}) {
    onnx::AttributeProto& attribute = *choice.add_attribute();
    attribute.set_name(branch);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    *attribute.mutable_g() = body;
  }
  *graph.add_node() = std::move(choice);
  graph.clear_value_info();
  onnx::ValueInfoProto& condition = *graph.add_input();
  condition.set_name("inside__condition");
  *condition.mutable_type() = tensor_type(DType::boolean, Shape(Dims{}));
}

/// Moves the graph into a body, whose inputs and constants are those of the outer scope.
inline void vary_scope(Variations& into) {
  const Graph& graph = into.graph();
  for (std::size_t i = 0; i < graph.output_count(); ++i)
    if (graph.output(i)->producer() == nullptr) return;  // a body cannot return an outer value
  for (const Node& node : graph.nodes())
    if (!node.bodies().empty()) return;  // its body may read a renamed value
  into.add_written("inside the branches of an If",
                   [](onnx::ModelProto& model) { move_into_branches(*model.mutable_graph()); });
}

/// Adds a graph output that reads the value.
inline void add_consumer(Graph& graph, Value& value) {
  graph.add_output(*graph.insert("Identity", {&value}).output(0));
}

/// Adds a graph output: an If whose branches read the value from outside.
inline void add_capture(Graph& graph, Value& value) {
  Value& condition = graph.add_input(graph.fresh_name("condition"), tensor_type(DType::boolean, Shape(Dims{})));
  const auto branch = [&] {
    onnx::GraphProto body;
    body.set_name("branch");
    onnx::NodeProto& node = *body.add_node();
    node.set_op_type("Identity");
    node.add_input(std::string(value.name()));
    node.add_output(graph.fresh_name("captured"));
    body.add_output()->set_name(node.output(0));
    return body;
  };
  Node& node = graph.insert("If", {&condition}, 1, {{"then_branch", branch()}, {"else_branch", branch()}});
  if (value.type() != nullptr) graph.declare_type(*node.output(0), *value.type());
  graph.add_output(*node.output(0));
}

/// Adds a node that reads the former output, and computes the output.
inline void put_behind(Graph& graph, std::size_t output) {
  Value& value = *graph.output(output);
  const std::string name(value.name());
  graph.rename(value, graph.fresh_name(name));
  Value& last = *graph.insert("Identity", {&value}).output(0);
  if (value.type() != nullptr) graph.declare_type(last, *value.type());
  graph.set_output(output, last);
  graph.rename(last, name);
}

/// Adds another reader to every value that a rule may expect to have only one.
inline void vary_uses(Variations& into) {
  const auto vary = [&](const Value& value) {
    const std::string name(value.name());
    const std::string shown = to_string(&value);
    const bool tapped = value.is_graph_output();
    into.add("another consumer of " + shown, [&](Graph& graph) { add_consumer(graph, *graph.find(name)); });
    if (!tapped) into.add(shown + " as a graph output", [&](Graph& graph) { graph.add_output(*graph.find(name)); });
    into.add("capture of " + shown + " by an If body", [&](Graph& graph) { add_capture(graph, *graph.find(name)); });
  };
  const Graph& graph = into.graph();
  for (const Node& node : graph.nodes()) {
    for (const Value& output : node.outputs())
      if (!output.name().empty()) vary(output);
  }
  for (const Value* const initializer : graph.initializers()) vary(*initializer);
  for (std::size_t i = 0; i < graph.output_count(); ++i) {
    const Value& output = *graph.output(i);
    bool once = output.producer() != nullptr;
    for (std::size_t k = 0; k < graph.output_count(); ++k) once = once && (k == i || graph.output(k) != &output);
    if (once) into.add("a node behind output " + to_string(&output), [&](Graph& copy) { put_behind(copy, i); });
  }
}

/// Changes the values of floats: a rule that relies on values must state that in its pattern.
inline Tensor other_contents(const Tensor& given, double sign) {
  std::vector<double> values(static_cast<std::size_t>(given.size()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = sign * (0.6 + 0.1 * static_cast<double>(i % 7));
  return Tensor::of(given.dtype(), given.dims(), values);
}

/// Constants become overridable inputs, outputs of a Constant, or other floats.
inline void vary_constants(Variations& into) {
  for (const Value* const value : into.graph().initializers()) {
    if (value->is_graph_input()) continue;
    const std::string name(value->name());
    const bool is_external = value->initializer()->data_location() == onnx::TensorProto::EXTERNAL;
    if (is_float(value->dtype()) && bits(value->dtype()) >= 16 && !is_external) {
      for (const double sign : {1.0, -1.0}) {
        const std::string what = sign > 0 ? " of other values" : " of negative values";
        into.add(to_string(value) + what, [&](Graph& graph) {
          Value& old = *graph.find(name);
          graph.set_initializer(old, other_contents(read_tensor(*old.initializer()), sign));
        });
      }
    }
    into.add_written(to_string(value) + " as an input that callers may override", [&](onnx::ModelProto& model) {
      onnx::ValueInfoProto& input = *model.mutable_graph()->add_input();
      input.set_name(name);
      *input.mutable_type() = tensor_type(value->dtype(), value->shape());
    });
    into.add(to_string(value) + " from a Constant", [&](Graph& graph) {
      Value& old = *graph.find(name);
      onnx::TensorProto contents = *old.initializer();
      contents.clear_name();
      Node& node = graph.insert("Constant", {}, 1, {{"value", std::move(contents)}}, graph.first_node());
      Value& constant = *node.output(0);
      (void)graph.replace_uses(old, constant);  // a node without inputs cannot close a cycle
      for (std::size_t i = 0; i < graph.output_count(); ++i)
        if (graph.output(i) == &old) graph.set_output(i, constant);
      graph.erase(old);
      graph.rename(constant, name);
    });
  }
}

}  // namespace graft::inline v1::detail
