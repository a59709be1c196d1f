#pragma once
#include <graft/surgery/raise_opset.hpp>

#include <string>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/need.hpp>
#include <graft/rewrite/payload.hpp>
#include <graft/surgery/detail/raise_nodes.hpp>

namespace graft::inline v1 {
namespace detail {

/// The current function, with another version of the main domain.
inline onnx::FunctionProto with_opset(const Graph& function, int opset) {
  onnx::FunctionProto proto = *function.function_proto();
  proto.clear_input();
  proto.clear_output();
  proto.clear_node();
  const auto name_of = [](const Value* value) { return value == nullptr ? std::string() : std::string(value->name()); };
  for (const Value* const input : function.inputs()) proto.add_input(name_of(input));
  for (const Value* const output : function.outputs()) proto.add_output(name_of(output));
  for (const Node& node : function.nodes()) {
    onnx::NodeProto& copy = *proto.add_node() = payload_of(node);
    copy.clear_input();
    copy.clear_output();
    for (const Value* const input : node.inputs()) copy.add_input(name_of(input));
    for (const Value& output : node.outputs()) copy.add_output(name_of(&output));
  }
  for (onnx::OperatorSetIdProto& import : *proto.mutable_opset_import())
    if (canonical_domain(import.domain()).empty()) import.set_version(opset);
  return proto;
}

/// Replaces local functions that import an older version of the main domain, because ONNX requires the same versions of
/// operators in functions and model. The imports of a function cannot be edited.
inline void raise_functions(Model& model, int target) {
  std::vector<Graph*> older;
  for (Graph* const function : model.functions())
    if (function->opset() != 0 && function->opset() < target) older.push_back(function);
  if (older.empty()) return;
  for (Graph* const graph : model.scopes()) {
    const Graph& root = raise::root_of(*graph);
    if (root.is_function() && root.opset() != 0 && root.opset() < target) raise_nodes(*graph, target);
  }
  std::vector<onnx::FunctionProto> raised;
  for (const Graph* const function : older) raised.push_back(with_opset(*function, target));
  model.remove_functions(older);
  for (onnx::FunctionProto& function : raised) model.add_function(std::move(function));
}

}  // namespace detail

GRAFT_INLINE void raise_opset(Model& model, int target) {
  if (model.opset() >= target) return;
  Transaction transaction(model.graph());
  detail::raise_main_graph(model, target);
  detail::raise_functions(model, target);
  transaction.keep();
}

GRAFT_INLINE Pass raise_opset(int target) {
  return pass("raise_opset",
              [target](Graph& graph, Context& context) {
                if (graph.opset() >= target) return;
                infer_shapes(graph, context.infer_options());
                raise_opset(graph.model(), target);
              })
      .provides(provides_opset(target))
      .preserves_all();
}

}  // namespace graft::inline v1
