#pragma once
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/payload.hpp>

namespace graft::inline v1::detail {

/// Replaces the node's first output by x and erases the node. The node or an earlier one computes x. A graph output
/// keeps its name, by an Identity if x cannot take it. Other outputs must be unused.
inline void bypass(Node& node, Value& x) {
  Graph& graph = node.graph();
  Value& y = *node.output(0);
  if (y.type() != nullptr && x.type() == nullptr && x.initializer() == nullptr) graph.set_type(x, *y.type());
  if (!graph.replace_uses(y, x)) throw Error("replacing it by its input would close a cycle").node(display_name(node));
  if (y.is_graph_output()) {
    const bool bears_name = x.producer() != nullptr && &x.graph() == &graph && !x.is_graph_output();
    Value& successor = bears_name ? x : *graph.insert("Identity", {&x}, 1, {}, node.next()).output(0);
    const onnx::TypeProto* const type = x.type() != nullptr ? x.type() : y.type();
    if (type != nullptr) graph.declare_type(successor, onnx::TypeProto(*type));
    hand_over_outputs(y, successor);
  }
  graph.erase(node);
}

}  // namespace graft::inline v1::detail
