#pragma once
#include <graft/rewrite/rewriter.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <unordered_set>
#include <utility>

#include <graft/config.hpp>
#include <graft/rewrite/detail/check_operator.hpp>
#include <graft/rewrite/payload.hpp>
#include <graft/rewrite/scopes.hpp>

// The beginning and end of a rewrite, and new nodes. Edits of existing nodes: detail/rewriter_edits.ipp.

namespace graft::inline v1 {

GRAFT_INLINE void Rewriter::at(Node& node) {
  graph_ = &node.graph();
  place_ = &node;
}

GRAFT_INLINE void Rewriter::at_end(Graph& graph) {
  graph_ = &graph;
  place_ = nullptr;
}

GRAFT_INLINE void Rewriter::begin() {
  if (transaction_) return;
  edits_.clear();
  clones_.clear();
  replaced_.clear();
  transaction_.emplace(*graph_);
}

GRAFT_INLINE Verdict Rewriter::fail(const Reason& reason) {
  begin();
  if (state_) state_ = Verdict::no(reason);
  return Verdict::no(reason);
}

/// Ensures that a value of an enclosing scope is computed before the body that reads it.
GRAFT_INLINE bool Rewriter::make_visible(Value& value) {
  if (&value.graph() == graph_) return true;
  const Graph* scope = graph_;
  while (scope->parent() != nullptr && scope->parent() != &value.graph()) scope = scope->parent();
  if (scope->parent() == nullptr) return false;
  return value.producer() == nullptr || value.graph().order(*value.producer(), *scope->owner());
}

/// The node before which a new node with these inputs goes; nullptr for the end.
GRAFT_INLINE Node* Rewriter::place_for(std::span<Value* const> inputs) {
  while (place_ != nullptr && place_->erased()) place_ = place_->next();
  Node* place = place_;
  for (Value* const value : inputs) {
    if (value == nullptr || place == nullptr) continue;
    Node* const producer = value->producer();
    if (producer != nullptr && &producer->graph() == graph_ && !producer->before(*place)) place = producer->next();
  }
  return place;
}

GRAFT_INLINE Node& Rewriter::inserted(Node& node) {
  const auto import = [this](const Node& one) {
    if (one.opset() == 0) graph_->model().set_opset(1, one.domain());
  };
  edits_.inserted.push_back(&node);
  import(node);
  for (const Body& body : node.bodies())
    for (Graph* const scope : with_bodies(*body.graph))
      for (const Node& inner : scope->nodes()) import(inner);
  if (node.opset() == 0) static_cast<void>(fail("the function does not import the operator's domain"));
  if (Verdict known = detail::check_operator(node); !known) {
    static_cast<void>(fail(known.reason()));  // inference expects attributes of the right type
  } else if (Verdict fits = inference_.run(node); !fits) {
    static_cast<void>(fail(fits.reason()));
  }
  return node;
}

GRAFT_INLINE Node& Rewriter::node_from(onnx::NodeProto payload, std::span<Value* const> inputs, std::size_t outputs,
                                       const Node* original) {
  begin();
  std::vector<Value*> visible(inputs.begin(), inputs.end());
  for (Value*& value : visible) {
    if (value == nullptr || (!value->erased() && make_visible(*value))) continue;
    static_cast<void>(fail(value->erased() ? "a new node reads a value that is erased"
                                           : "a new node reads a value that is not visible at its position"));
    value = nullptr;
  }
  Node& node = inserted(graph_->insert(std::move(payload), visible, outputs, place_for(visible)));
  if (original != nullptr) clones_.emplace_back(original, &node);
  return node;
}

GRAFT_INLINE Node& Rewriter::node(std::string_view op, std::span<Value* const> inputs, std::size_t outputs,
                                  const Attributes& attributes, std::string_view name_hint) {
  const OpName name = OpName::parse(op);
  onnx::NodeProto payload;
  payload.set_op_type(std::string(name.op_type));
  if (!name.domain.empty()) payload.set_domain(std::string(name.domain));
  payload.set_name(graph_->fresh_name(name_hint.empty() ? name.op_type : name_hint));
  for (const Attribute& attribute : attributes) *payload.add_attribute() = attribute.proto();
  return node_from(std::move(payload), inputs, outputs);
}

GRAFT_INLINE Node& Rewriter::clone(const Node& original, std::span<Value* const> inputs) {
  Node& copy = node_from(detail::payload_of(original), inputs, original.output_count(), &original);
  for (std::size_t i = 0; i < original.output_count(); ++i)
    if (original.output(i)->name().empty()) copy.graph().omit(*copy.output(i));
  return copy;
}

GRAFT_INLINE Value& Rewriter::constant(Tensor tensor, std::string_view hint) {
  begin();
  Graph* scope = graph_;
  if (graph_->model().ir_version() < 4)  // each would become an input, and bodies cannot get more inputs
    while (scope->parent() != nullptr) scope = scope->parent();
  return constants_.get(*scope, std::move(tensor), hint);
}

/// Erases initializers and nodes that have lost all uses since the last accept().
GRAFT_INLINE void Rewriter::drop_unused() {
  const auto is_used = [](const Value& output) { return output.use_count() != 0; };
  for (std::size_t i = 0; i < edits_.freed.size(); ++i) {  // erasing a node frees what it reads
    Value& value = *edits_.freed[i];
    if (value.erased() || value.use_count() != 0) continue;
    if (value.initializer() != nullptr) {
      if (!value.is_graph_input()) erase(value);
    } else if (Node* const producer = value.producer()) {
      const auto outputs = producer->outputs();
      if (std::none_of(outputs.begin(), outputs.end(), is_used)) erase(*producer);
    }
  }
}

/// Gives a clone a fresh name if its original stays or has another clone.
GRAFT_INLINE void Rewriter::rename_clones() {
  std::unordered_set<const Node*> taken;
  for (const auto& [original, copy] : clones_) {
    const bool is_free = original->erased() && taken.insert(original).second;
    if (is_free || copy->erased() || copy->name().empty()) continue;
    copy->graph().rename(*copy, copy->graph().fresh_name(copy->name()));
  }
}

/// A new node's output takes the name of the value that it replaces, because ranges, overrides and users refer to it.
GRAFT_INLINE void Rewriter::hand_over_names() {
  for (const auto& [old, by] : replaced_) {
    if (!old->erased() || old->name().empty() || by->erased() || by->is_graph_output()) continue;
    if (&old->graph() != &by->graph() || by->graph().find(old->name()) != nullptr) continue;
    by->graph().rename(*by, old->name());
  }
}

GRAFT_INLINE Verdict Rewriter::accept() {
  const bool keeps_contents = std::exchange(keeps_contents_, false);
  if (!transaction_) return Verdict::yes();
  if (!state_) return decline(state_.reason());
  drop_unused();
  rename_clones();
  hand_over_names();
  transaction_->keep();
  transaction_.reset();
  if (keeps_contents) known_contents_.keep(graph_->model());
  for (const auto& [from, to] : renamed_) context_->facts.tensor_renamed(from, to);
  for (const auto& [from, to] : renamed_nodes_) context_->facts.node_renamed(from, to);
  renamed_.clear();
  renamed_nodes_.clear();
  return Verdict::yes();
}

GRAFT_INLINE Rewriter::~Rewriter() {
  if (!transaction_ || edits_.empty() || std::uncaught_exceptions() != 0) return;
  try {
    context_->write_log("the edits of a Rewriter were undone: it ended without accept()");
  } catch (...) {  // thrown by the user's callback
  }
}

GRAFT_INLINE void Rewriter::rollback() {
  transaction_.reset();
  edits_.clear();
  clones_.clear();
  replaced_.clear();
  renamed_.clear();
  renamed_nodes_.clear();
  state_ = Verdict::yes();
  keeps_contents_ = false;
}

GRAFT_INLINE Verdict Rewriter::decline(Reason reason) {
  rollback();
  return Verdict::no(reason);
}

}  // namespace graft::inline v1
