#pragma once
#include <graft/graph/onnx.hpp>

namespace graft::inline v1::detail {

/// Calls f with each node of a field of nodes, and of the graphs in them.
template <class Nodes, class F>
void for_each_node(Nodes& nodes, F&& f) {
  for (onnx::NodeProto& node : nodes) {
    f(node);
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) for_each_node(*attribute.mutable_g()->mutable_node(), f);
      for (onnx::GraphProto& graph : *attribute.mutable_graphs()) for_each_node(*graph.mutable_node(), f);
    }
  }
}

}  // namespace graft::inline v1::detail
