#pragma once
// The primitive edits of names, types, operators and attributes. Each edit records its undo.
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/detail/identity_sources.hpp>
#include <graft/graph/detail/journal.hpp>
#include <graft/graph/detail/name_table.hpp>
#include <graft/graph/detail/store.hpp>
#include <graft/graph/detail/undo.hpp>
#include <graft/graph/unknown_fields.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

GRAFT_INLINE void Graph::give_name(Value& value, const std::string* name) {
  if (!value.name().empty()) names_.erase(value);
  value.name_ = name;
  if (!value.name().empty()) declare(value);
  if (Node* const producer = value.producer()) producer->flags_ |= Node::rewired_flag;
  for (Use& use : value.uses()) use.owner_->flags_ |= Node::rewired_flag;
}

/// Marks all places that spell the value's name.
GRAFT_INLINE void Graph::touch_name(Value& value) {
  touch(wires_changed_);
  touch(infos_changed_);
  for (Use& use : value.uses()) use.graph().touch(use.graph().wires_changed_);
  if (value.initializer() != nullptr) touch(initializers_changed_);
}

/// Copies a declared type before its proto or its name goes: it lives in the proto, under the declared name.
GRAFT_INLINE void Graph::own_type(Value& value) {
  if ((value.flags_ & Value::declared_flag) != 0 && value.type_ != nullptr) declare_type(value, *value.type_);
}

GRAFT_INLINE void Graph::rename(Value& value, std::string_view name) {
  check_own(value);
  if (value.name() == name) return;
  const auto refuse = [&](const char* why) {
    throw Error("cannot be renamed to '" + std::string(name) + "': " + why).field(value.name());
  };
  if (name.empty() || names_.find(name) != nullptr || is_captured(name)) refuse("the name is taken");
  for (const Use& use : value.uses())
    for (const Graph* scope = &use.graph(); scope != this; scope = scope->parent_)
      if (scope->names_.find(name) != nullptr) refuse("the name is taken in a body that reads the value");
  touch_name(value);
  own_type(value);
  journal().record(detail::Undo::RenameValue{&value, value.name_});
  give_name(value, &intern(std::string(name)));
}

GRAFT_INLINE void Graph::rename(Node& node, std::string_view name) { edit(node).set_name(std::string(name)); }

GRAFT_INLINE void Graph::omit(Value& output) {
  check_own(output);
  if (output.use_count() != 0 || output.producer() == nullptr)
    throw Error("only an unused output of a node can be omitted").field(output.name());
  if (output.name().empty()) return;
  touch_name(output);
  own_type(output);
  journal().record(detail::Undo::RenameValue{&output, output.name_});
  give_name(output, &detail::empty_string());
}

GRAFT_INLINE void Graph::set_type(Value& value, const onnx::TypeProto& type) {
  set_type(value, onnx::TypeProto(type));
}

GRAFT_INLINE void Graph::set_type(Value& value, onnx::TypeProto&& type) {
  check_alive(value);
  const onnx::TypeProto* const old = value.type_;
  value.type_ = &store_->types.emplace_back(std::move(type));
  journal().record(detail::Undo::SetType{&value, old, value.flags_});
  value.flags_ |= Value::inferred_flag;
}

/// Shares another value's type that only the view has. Such a type never changes, and lives as long as the model.
GRAFT_INLINE void Graph::share_type(Value& value, const Value& other) {
  journal().record(detail::Undo::SetType{&value, value.type_, value.flags_});
  value.type_ = other.type_;
  value.flags_ |= Value::inferred_flag;
}

GRAFT_INLINE void Graph::declare_type(Value& value, const onnx::TypeProto& type) {
  set_type(value, type);
  value.graph_->touch(value.graph_->infos_changed_);
  journal().record(detail::Undo::DeclareType{&value, value.flags_});
  value.flags_ |= Value::declared_flag | Value::retyped_flag;
  value.flags_ &= ~Value::inferred_flag & Value::flag_mask;
  if (type.value_case() != onnx::TypeProto::VALUE_NOT_SET) return;
  value.type_ = nullptr;
  value.flags_ &= ~Value::declared_flag & Value::flag_mask;
}

namespace detail {

/// Copies a node without the contents of graph attributes, which keep their name and type. `to` is empty and on the
/// same arena, if any. `from` is the same afterwards.
inline void copy_without_graphs(onnx::NodeProto& from, onnx::NodeProto& to) {
  // MergeFrom() copies all fields, whatever the version of onnx.proto. The view points into the attributes, so they
  // keep their place: they wait in `to` during the merge.
  struct Swapped {
    Swapped(onnx::NodeProto& one, onnx::NodeProto& other) : one_(one), other_(other) { swap(); }
    ~Swapped() { swap(); }
    void swap() { one_.mutable_attribute()->UnsafeArenaSwap(other_.mutable_attribute()); }
    onnx::NodeProto &one_, &other_;
  };
  {
    const Swapped aside(to, from);
    to.MergeFrom(from);
  }
  for (const onnx::AttributeProto& attribute : from.attribute()) {
    if (!attribute.has_g() && attribute.graphs_size() == 0) {
      *to.add_attribute() = attribute;
      continue;
    }
    onnx::AttributeProto& stub = *to.add_attribute();
    stub.set_name(attribute.name());
    if (attribute.has_type()) stub.set_type(attribute.type());
    if (attribute.has_doc_string()) stub.set_doc_string(attribute.doc_string());
    add_unknown_fields(attribute, stub);
  }
}

}  // namespace detail

GRAFT_INLINE onnx::NodeProto& Graph::edit(Node& node) {
  check_alive(node);
  if ((node.flags_ & Node::own_payload_flag) != 0 && !journal().recording()) return *node.proto_;
  onnx::NodeProto* const old = node.proto_;
  onnx::NodeProto& copy = store_->create<onnx::NodeProto>();
  if (!node.bodies().empty()) {
    // Bodies stay in the old payload; the commit moves them.
    store_->split_bodies.emplace_back(&node, old);
    detail::copy_without_graphs(*old, copy);
  } else {
    copy = *old;
  }
  node.graph_->touch(node.graph_->nodes_changed_);
  node.proto_ = &copy;
  journal().record(detail::Undo::EditNode{&node, old, node.flags_});
  node.flags_ |= Node::own_payload_flag | Node::rewired_flag;
  return copy;
}

namespace detail {

inline void keep_bodies(const Node& node, std::string_view attribute) {
  if (node.body(attribute) == nullptr) return;
  throw Error("holds a body: edit the body as a graph, or erase the node").node(node.name()).field(attribute);
}

}  // namespace detail

GRAFT_INLINE void Graph::remove_attribute(Node& node, std::string_view name) {
  check_alive(node);
  detail::keep_bodies(node, name);
  auto& attributes = *edit(node).mutable_attribute();
  for (int i = 0; i < attributes.size(); ++i) {
    if (attributes[i].name() != name) continue;
    attributes.DeleteSubrange(i, 1);
    return;
  }
}

GRAFT_INLINE void Graph::set_attribute(Node& node, const Attribute& attribute) {
  check_alive(node);
  detail::keep_bodies(node, attribute.proto().name());
  onnx::NodeProto& payload = edit(node);
  for (onnx::AttributeProto& present : *payload.mutable_attribute()) {
    if (present.name() != attribute.proto().name()) continue;
    present = attribute.proto();
    return;
  }
  *payload.add_attribute() = attribute.proto();
}

GRAFT_INLINE void Graph::set_op(Node& node, std::string_view op) {
  const OpName name = OpName::parse(op);
  if (name.op_type.empty()) throw Error("a node needs an operator").node(node.op_type());
  onnx::NodeProto& payload = edit(node);
  payload.set_op_type(std::string(name.op_type));
  payload.set_domain(std::string(name.domain));
  journal().record(detail::Undo::SetOp{&node, node.op_});
  node.op_ = store_->intern(name.domain, name.op_type);
  store_->identity_sources.forget();
}

}  // namespace graft::inline v1
