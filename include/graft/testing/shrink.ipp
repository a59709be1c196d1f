#pragma once
#include <graft/testing/shrink.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/external_data.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/value.hpp>
#include <graft/testing/detail/drop_unused.hpp>

namespace graft::inline v1 {

namespace detail {

/// Removes the i-th output. Returns whether it could.
inline bool drop_output(Graph& graph, std::size_t i) {
  if (graph.output_count() < 2 || i >= graph.output_count()) return false;
  graph.remove_output(i);
  drop_unused(graph);
  return true;
}

/// Replaces the i-th output by the inputs of its node. Returns whether it could.
inline bool step_back(Graph& graph, std::size_t i) {
  if (i >= graph.output_count()) return false;
  const Value& output = *graph.output(i);
  const Node* const producer = output.producer();
  if (producer == nullptr || output.use_count() != 1) return false;
  std::vector<Value*> read;
  for (Value* const input : producer->inputs())
    if (input != nullptr && input->producer() != nullptr && !input->is_constant()) read.push_back(input);
  if (read.empty()) return false;
  for (Value* const value : read)
    if (!value->is_graph_output()) graph.add_output(*value);
  graph.remove_output(i);
  drop_unused(graph);
  return true;
}

/// Replaces the i-th node from the end by graph inputs. Returns whether it could.
inline bool cut_node(Graph& graph, std::size_t i) {
  Node* node = graph.last_node();
  for (; node != nullptr && i > 0; --i) node = node->prev();
  if (node == nullptr || node->is("Constant")) return false;  // other contents might be another case
  for (const Value& output : node->outputs()) {
    if (output.use_count() == 0) continue;
    if (output.is_graph_output() || output.type() == nullptr || !output.type()->has_tensor_type()) return false;
  }
  for (Value& output : node->outputs()) {
    if (output.use_count() == 0) continue;
    Value& input = graph.add_input(graph.fresh_name(std::string(output.name()) + "_in"), *output.type());
    if (!graph.replace_uses(output, input)) return false;
  }
  graph.erase(*node);
  drop_unused(graph);
  return true;
}

/// A changed copy, if the change is possible and the predicate holds for it.
template <class Edit>
std::optional<onnx::ModelProto> smaller(const onnx::ModelProto& proto, const Model& origin,
                                        const std::function<bool(const Model&)>& holds, Edit edit) {
  try {
    Model model(proto, origin);
    infer_shapes(model.graph());
    if (!edit(model.graph())) return std::nullopt;
    onnx::ModelProto edited = model.commit();
    if (!holds(Model(edited, origin))) return std::nullopt;
    return edited;
  } catch (const Error&) {
    return std::nullopt;  // the result is not a valid model
  }
}

}  // namespace detail

GRAFT_INLINE Model shrink(const Model& model, const std::function<bool(const Model&)>& holds) {
  onnx::ModelProto proto = model.proto();
  for (bool shrank = true; shrank;) {
    shrank = false;
    const auto try_all = [&](std::size_t count, bool (*edit)(Graph&, std::size_t)) {
      for (std::size_t i = 0; i < count; ++i) {
        auto less = detail::smaller(proto, model, holds, [&](Graph& graph) { return edit(graph, i); });
        if (!less) continue;
        proto = *std::move(less);
        shrank = true;
      }
    };
    try_all(static_cast<std::size_t>(proto.graph().output_size()), &detail::drop_output);
    try_all(static_cast<std::size_t>(proto.graph().output_size()), &detail::step_back);
    try_all(static_cast<std::size_t>(proto.graph().node_size()), &detail::cut_node);
  }
  return Model(std::move(proto), model);
}

}  // namespace graft::inline v1
