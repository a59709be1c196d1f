#pragma once
#include <algorithm>
#include <string>
#include <utility>

#include <graft/testing/detail/variations.hpp>

namespace graft::inline v1::detail {

/// Moves the nodes into both branches of an If, which makes the outputs.
inline void move_into_branches(onnx::GraphProto& graph) {
  onnx::GraphProto body;
  body.set_name("branch");
  body.mutable_node()->Swap(graph.mutable_node());
  onnx::NodeProto choice;
  choice.set_op_type("If");
  choice.add_input("inside__condition");
  for (const onnx::ValueInfoProto& output : graph.output()) {
    const std::string& name = output.name();
    const std::string inner = name + "__inside";  // a scope around it has the name
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

/// All of it happens in a body, whose inputs and constants are those of the scope around it.
inline void vary_scope(Variations& into) {
  const Graph& graph = into.graph();
  for (std::size_t i = 0; i < graph.output_count(); ++i)
    if (graph.output(i)->producer() == nullptr) return;  // no body can hand that out
  for (const Node& node : graph.nodes())
    if (!node.bodies().empty()) return;  // which may read what is renamed
  into.add_written("inside the branches of an If",
                   [](onnx::ModelProto& model) { move_into_branches(*model.mutable_graph()); });
}

}  // namespace graft::inline v1::detail
