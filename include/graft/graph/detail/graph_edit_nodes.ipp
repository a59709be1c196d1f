#pragma once
// The primitive edits of nodes and their inputs, and the checks before any edit. Each edit records its undo.
#include <algorithm>
#include <functional>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/detail/identity_sources.hpp>
#include <graft/graph/detail/journal.hpp>
#include <graft/graph/detail/name_table.hpp>
#include <graft/graph/detail/store.hpp>
#include <graft/graph/detail/undo.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

// Checks run before any change. The payload of an erased node or value may be gone, so messages do not spell its name.

GRAFT_INLINE void Graph::check_alive(const Value& value) const {
  if (value.erased()) throw Error("the value has been erased");
  if (value.graph_->store_ != store_) throw Error("is a value of another model").field(value.name());
}
GRAFT_INLINE void Graph::check_alive(const Node& node) const {
  if (node.erased()) throw Error("the node has been erased").node(node.op_type());
  if (node.graph_->store_ != store_) throw Error("is a node of another model").node(display_name(*node.proto_));
  if (!node.graph_->reachable())
    throw Error("the node that holds it in a body has been erased").node(display_name(*node.proto_));
}
GRAFT_INLINE void Graph::check_own(const Value& value) const {
  check_alive(value);
  if (value.graph_ != this) throw Error("is a value of another graph of the model").field(value.name());
}
GRAFT_INLINE void Graph::check_own(const Node& node) const {
  check_alive(node);
  if (node.graph_ != this)
    throw Error("is a node of another graph of the model").node(display_name(*node.proto_));
}
GRAFT_INLINE void Graph::check_use(const Use& use) const {
  const Node& owner = *use.owner_;
  if (owner.proto_ != nullptr) {
    check_alive(owner);
  } else if (owner.graph_->store_ != store_) {
    throw Error("is an output of another model").field(owner.graph_->name());
  }
  const std::less<const Use*> before;
  if (before(&use, owner.uses_) || !before(&use, owner.uses_ + owner.input_count_))
    throw Error("the use no longer exists: its node has been resized")
        .node(owner.proto_ != nullptr ? display_name(*owner.proto_) : "");
}
GRAFT_INLINE void Graph::check_output(std::size_t i) const {
  if (i >= end_.input_count_) throw Error("has no output " + std::to_string(i)).field(name());
}
GRAFT_INLINE void Graph::check_read(const Value& value, const Use& use) const {
  const Node& reader = *use.owner_;
  const std::string why = reader.graph_->why_unreadable(value);
  if (why.empty()) return;
  if (reader.proto_ == nullptr) throw Error(why).field("output[" + std::to_string(use.index()) + "]");
  throw Error(why).node(display_name(*reader.proto_)).field("input[" + std::to_string(use.index()) + "]");
}

/// The reason why this scope cannot read the value; "" if it can.
GRAFT_INLINE std::string Graph::why_unreadable(const Value& value) const {
  if (value.erased()) return "the value has been erased";
  const auto because = [&](const char* why) { return "'" + std::string(value.name()) + "' " + why; };
  if (value.graph_->store_ != store_) return because("is a value of another model");
  if (value.name().empty()) return "an omitted output cannot be read";
  for (const Graph* scope = this; scope != value.graph_; scope = scope->parent_) {
    if (scope->parent_ == nullptr) return because("is a value of a scope that is not visible here");
    if (scope->names_.find(value.name()) != nullptr) return because("is out of reach: a value of the body hides it");
  }
  return "";
}

/// Whether this scope or a body in it reads an outer value of this name.
GRAFT_INLINE bool Graph::is_captured(std::string_view name) const {
  const Value* const outer = parent_ != nullptr ? parent_->find(name) : nullptr;
  if (outer == nullptr) return false;
  for (const Use& use : outer->uses())
    for (const Graph* scope = &use.graph(); scope != outer->graph_; scope = scope->parent_)
      if (scope == this) return true;
  return false;
}

GRAFT_INLINE void Graph::relink(Use& use, Value* value) {
  if (use.value_ != nullptr) use.value_->unlink(use);
  use.value_ = nullptr;
  if (value != nullptr) value->link(use);
  use.owner_->flags_ |= Node::rewired_flag;
  if (use.user() != nullptr && use.user()->is("Identity")) store_->identity_sources.forget();
}

/// Links a detached node into the scope, with the uses of its bodies.
GRAFT_INLINE void Graph::attach(Node& node, Node& next) {
  link_before(node, next);
  node.flags_ &= ~Node::erased_flag;
  ++node_count_;
  for (std::size_t i = 0; i < node.output_count_; ++i) {
    Value& output = node.first_output()[i];
    output.flags_ &= ~Value::erased_flag & Value::flag_mask;
    if (!output.name().empty()) declare(output);
  }
  const auto link = [](Use& use) {
    if (use.value_ != nullptr) use.value_->link(use);
  };
  for (std::size_t i = 0; i < node.input_count_; ++i) link(node.uses_[i]);
  for_each_capture(node, link);
  for_each_body(node, [](Graph& body) { body.detached_ = false; });
}

/// Unlinks a node. It keeps its inputs, but is no longer a user of them.
GRAFT_INLINE void Graph::detach(Node& node) {
  const auto unlink_use = [](Use& use) {
    if (use.value_ != nullptr) use.value_->unlink(use);
  };
  for (std::size_t i = 0; i < node.input_count_; ++i) unlink_use(node.uses_[i]);
  for_each_capture(node, unlink_use);
  for_each_body(node, [](Graph& body) { body.detached_ = true; });
  for (std::size_t i = 0; i < node.output_count_; ++i) {
    Value& output = node.first_output()[i];
    output.flags_ |= Value::erased_flag;
    if (!output.name().empty()) names_.erase(output);
  }
  node.flags_ |= Node::erased_flag;
  --node_count_;
  unlink(node);
}

/// Checks that a new node can read its inputs at its position: from nodes before it, or from scopes around the body.
GRAFT_INLINE void Graph::check_insertion(const onnx::NodeProto& payload, std::span<Value* const> inputs,
                                         const Node* before) const {
  if (payload.op_type().empty()) throw Error("a node needs an operator").node(payload.name());
  if (before != nullptr) check_own(*before);
  if (before == nullptr && !reachable()) throw Error("the node that holds this body has been erased").field(name());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == nullptr) continue;
    const Value& value = *inputs[i];
    std::string why = why_unreadable(value);
    if (why.empty() && value.producer() != nullptr) {
      const Node* place = before;
      for (const Graph* scope = this; scope != value.graph_; scope = scope->parent_) place = scope->owner_;
      if (place != nullptr && !value.producer()->before(*place))
        why = "'" + std::string(value.name()) + "' is computed later";
    }
    if (why.empty()) continue;
    throw Error(why)
        .node(payload.name().empty() ? payload.op_type() : payload.name())
        .field("input[" + std::to_string(i) + "]");
  }
}

GRAFT_INLINE Node& Graph::insert(onnx::NodeProto payload, std::span<Value* const> inputs, std::size_t outputs,
                                 Node* before) {
  while (!inputs.empty() && inputs.back() == nullptr) inputs = inputs.first(inputs.size() - 1);
  check_insertion(payload, inputs, before);
  onnx::NodeProto& stored = store_->create<onnx::NodeProto>();
  stored = std::move(payload);
  const std::string& hint = stored.name().empty() ? stored.op_type() : stored.name();
  stored.clear_output();
  Node& node = new_node(stored, inputs.size(), outputs);
  node.flags_ |= Node::own_payload_flag | Node::rewired_flag;
  for (std::size_t i = 0; i < inputs.size(); ++i) node.uses_[i].value_ = inputs[i];
  for (std::size_t i = 0; i < outputs; ++i) {
    node.first_output()[i].name_ = &intern(fresh_name(outputs == 1 ? hint : hint + "_" + std::to_string(i)));
  }
  const std::size_t first_body = store_->graphs.size();
  add_bodies(node);
  for (std::size_t i = first_body; i < store_->graphs.size(); ++i) store_->graphs[i].read_values();
  for (std::size_t i = first_body; i < store_->graphs.size(); ++i) store_->graphs[i].read_links();
  for (std::size_t i = first_body; i < store_->graphs.size(); ++i) store_->graphs[i].sort_nodes();
  touch(nodes_changed_);
  touch(wires_changed_);
  // attach() links the captures, but reading has linked them already.
  for_each_capture(node, [](Use& use) { use.value_->unlink(use); });
  attach(node, before ? *before : end_);
  journal().record(detail::Undo::InsertNode{&node});
  return node;
}

GRAFT_INLINE Node& Graph::insert(std::string_view op, std::span<Value* const> inputs, std::size_t outputs,
                                 const Attributes& attributes, Node* before, std::string_view name_hint) {
  const OpName name = OpName::parse(op);
  onnx::NodeProto payload;
  payload.set_op_type(std::string(name.op_type));
  if (!name.domain.empty()) payload.set_domain(std::string(name.domain));
  payload.set_name(fresh_name(name_hint.empty() ? name.op_type : name_hint));
  for (const Attribute& attribute : attributes) *payload.add_attribute() = attribute.proto();
  return insert(std::move(payload), inputs, outputs, before);
}

GRAFT_INLINE void Graph::erase(Node& node) {
  check_own(node);
  for (const Value& output : node.outputs()) {
    if (output.use_count() != 0)
      throw Error("cannot be erased: its output '" + std::string(output.name()) + "' is used")
          .node(display_name(*node.proto_));
  }
  Node* const next = node.following();
  touch(nodes_changed_);
  touch(infos_changed_);
  detach(node);
  journal().record(detail::Undo::EraseNode{&node, next});
}

GRAFT_INLINE bool Graph::set_input(Node& node, std::size_t i, Value* value) {
  check_alive(node);
  return set_input(node.use(i), value);
}

GRAFT_INLINE bool Graph::set_input(Use& use, Value* value) {
  check_use(use);
  if (use.value_ == value) return true;
  if (value != nullptr) check_read(*value, use);
  if (value != nullptr && value->producer() != nullptr) {
    Graph& scope = *value->graph_;
    if (!scope.order(*value->producer(), *scope.user_in_scope(*use.owner_))) return false;
  }
  Graph& reader = use.graph();
  reader.touch(reader.wires_changed_);
  journal().record(detail::Undo::SetInput{&use, use.value_});
  reader.relink(use, value);
  return true;
}

/// Replaces the use records of a node.
GRAFT_INLINE void Graph::adopt_uses(Node& node, Use* uses, std::size_t count) {
  for (std::size_t i = 0; i < node.input_count_; ++i)
    if (Value* const value = node.uses_[i].value_) value->unlink(node.uses_[i]);
  node.uses_ = uses;
  node.input_count_ = static_cast<std::uint32_t>(count);
  for (std::size_t i = 0; i < count; ++i)
    if (Value* const value = uses[i].value_) value->link(uses[i]);
  node.flags_ |= Node::rewired_flag;
  store_->identity_sources.forget();
}

GRAFT_INLINE void Graph::resize_inputs(Node& node, std::size_t count) {
  if (&node != &end_) check_own(node);
  Use* const uses = new_uses(node, count);
  for (std::size_t i = 0; i < std::min<std::size_t>(count, node.input_count_); ++i)
    uses[i].value_ = node.uses_[i].value_;
  touch(wires_changed_);
  journal().record(detail::Undo::ResizeInputs{&node, node.uses_, node.input_count_});
  adopt_uses(node, uses, count);
}

GRAFT_INLINE bool Graph::replace_uses(Value& from, Value& to) {
  check_alive(from);
  check_alive(to);
  for (const Use& use : from.uses())
    if (!use.is_graph_output()) check_read(to, use);
  for (const Use& use : from.uses()) {
    if (use.is_graph_output() || to.producer() == nullptr) continue;
    Graph& scope = *to.graph_;
    if (!scope.order(*to.producer(), *scope.user_in_scope(*use.owner_))) return false;
  }
  for (Use& use : from.uses())
    if (!use.is_graph_output() && !set_input(use, &to)) return false;
  return true;
}

}  // namespace graft::inline v1
