#pragma once
#include <graft/config.hpp>
#include <graft/rewrite/detail/check_operator.hpp>
#include <graft/rewrite/payload.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/scopes.hpp>

// New nodes and constants.

namespace graft::inline v1 {

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

/// Sees to it that a value of an enclosing scope is computed before the body that reads it.
GRAFT_INLINE bool Rewriter::make_visible(Value& value) {
  if (&value.graph() == graph_) return true;
  const Graph* scope = graph_;
  while (scope->parent() != nullptr && scope->parent() != &value.graph()) scope = scope->parent();
  if (scope->parent() == nullptr) return false;
  return value.producer() == nullptr || value.graph().order(*value.producer(), *scope->owner());
}

/// The node before which a new one with these inputs goes; nullptr for the end.
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
    static_cast<void>(fail(known.reason()));  // inference relies on attributes of the right type
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
                                           : "a new node reads a value that is not visible where it stands"));
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
  if (graph_->model().ir_version() < 4)  // each is an input as well, and bodies cannot get more of these
    while (scope->parent() != nullptr) scope = scope->parent();
  return constants_.get(*scope, std::move(tensor), hint);
}

}  // namespace graft::inline v1
