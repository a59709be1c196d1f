#pragma once
#include <graft/lower/detail/new_shapes.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/transaction.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE NewShapes::NewShapes(Graph& graph) : graph_(graph) {
  std::vector<Graph*> scopes{&graph_};
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    for (Node& node : scopes[i]->nodes())
      for (const Body& body : node.bodies()) scopes.push_back(body.graph);
    if (scopes[i]->proto() == nullptr) continue;
    for (const onnx::ValueInfoProto& info : scopes[i]->proto()->value_info())
      if (const Value* const value = scopes[i]->find(info.name())) written_.insert(value);
  }
  Transaction trial(graph_);
  fitted_ = infer();
  if (!fitted_) {
    trial.restart();
    forget_outputs();
    static_cast<void>(infer());
  }
  for (const Graph* const scope : scopes)
    for (const Node& node : scope->nodes())
      for (const Value& output : node.outputs())
        if (output.type() != nullptr) types_.emplace(&output, *output.type());
  if (fitted_) trial.keep();
}

GRAFT_INLINE bool NewShapes::infer() const {
  bool fits = true;
  InferOptions options{.name_unknown = false};
  options.problem = [&fits](const Node&, const Reason&) { fits = false; };
  infer_shapes(graph_, std::move(options));
  return fits;
}

GRAFT_INLINE Shape NewShapes::of(const Value& value) const {
  const auto found = types_.find(&value);
  return found != types_.end() ? Shape(found->second) : value.shape();
}

GRAFT_INLINE void NewShapes::forget_outputs() const {
  for (Value* const output : graph_.outputs())
    if (output->producer() != nullptr) forget(*output);
}

GRAFT_INLINE std::vector<onnx::TypeProto> NewShapes::following() const {
  Transaction trial(graph_);
  forget_outputs();
  static_cast<void>(infer());
  std::vector<onnx::TypeProto> types;
  for (const Value* const output : graph_.outputs())
    types.push_back(output->type() != nullptr ? *output->type() : onnx::TypeProto());
  return types;
}

GRAFT_INLINE bool NewShapes::is_output(const Value& value) const {
  if (!value.is_graph_output()) return false;
  const InputRange outputs = graph_.outputs();
  return std::find(outputs.begin(), outputs.end(), &value) != outputs.end();
}

/// Clears the type of a written value_info explicitly, or the file would keep it.
GRAFT_INLINE void NewShapes::forget(Value& value) const {
  if (value.dtype() == DType::undefined || !value.shape().known()) return;
  const onnx::TypeProto type = tensor_type(value.dtype());
  if (value.is_graph_output() || written_.contains(&value)) {
    value.graph().declare_type(value, type);
  } else {
    value.graph().set_type(value, type);
  }
}

GRAFT_INLINE std::unordered_set<Value*> NewShapes::reached_from(std::span<Node* const> changed) const {
  std::unordered_set<Value*> values;
  std::unordered_set<Node*> seen;
  std::vector<Node*> open;
  const auto reach = [&](Node* node) {
    if (node != nullptr && seen.insert(node).second) open.push_back(node);
  };
  for (Node* const node : changed)
    if (!node->erased()) reach(node);
  while (!open.empty()) {
    Node& node = *open.back();
    open.pop_back();
    for (const Body& body : node.bodies())
      for (Node& inner : body.graph->nodes()) reach(&inner);
    if (&node.graph() != &graph_) reach(node.graph().owner());
    for (Value& output : node.outputs()) {
      values.insert(&output);
      for (const Use& use : output.uses()) if (!use.is_graph_output() || &use.graph() != &graph_)
          reach(use.is_graph_output() ? use.graph().owner() : use.user());
    }
  }
  return values;
}

GRAFT_INLINE Verdict NewShapes::check(Node& node, bool outputs_follow) const {
  Transaction trial(graph_);
  for (Value& output : node.outputs())
    if ((outputs_follow && fitted_) || !is_output(output)) forget(output);
  return Inference({.name_unknown = false}).check(node);
}

GRAFT_INLINE Verdict NewShapes::settle(std::span<Node* const> changed, bool outputs_follow) {
  const std::unordered_set<Value*> reached = reached_from(changed);
  for (Value* const value : reached)
    if (!is_output(*value)) forget(*value);
  Transaction trial(graph_);
  if (outputs_follow && fitted_)
    for (Value* const value : reached)
      if (is_output(*value)) forget(*value);
  if (infer()) {
    trial.keep();
    return Verdict::yes();
  }
  trial.rollback();
  for (Node* const node : changed)
    if (!node->erased())
      if (Verdict fits = check(*node, false); !fits) return fits;
  return Verdict::yes();
}

}  // namespace graft::inline v1::detail
