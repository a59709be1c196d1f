#pragma once
// The primitive edits of the names and types of values. Each records beside itself how it is taken back.
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/detail/journal.hpp>
#include <graft/graph/detail/name_table.hpp>
#include <graft/graph/detail/read.ipp>
#include <graft/graph/detail/store.hpp>
#include <graft/graph/detail/undo.hpp>
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

/// Marks everything that spells the value's name.
GRAFT_INLINE void Graph::touch_name(Value& value) {
  touch(wires_changed_);
  touch(infos_changed_);
  for (Use& use : value.uses()) use.graph().touch(use.graph().wires_changed_);
  if (value.initializer() != nullptr) touch(initializers_changed_);
}

/// A declared type lives in the proto, under the name it declares: it is copied before either goes.
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

/// The type of another value, which only the view has: it never changes, and goes with the model.
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

}  // namespace graft::inline v1
