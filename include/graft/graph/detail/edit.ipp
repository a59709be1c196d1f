#pragma once
// The primitive edits. Each records beside itself how it is taken back.
#include <functional>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/detail/identity_sources.hpp>
#include <graft/graph/detail/journal.hpp>
#include <graft/graph/detail/name_table.hpp>
#include <graft/graph/detail/order.ipp>
#include <graft/graph/detail/read.ipp>
#include <graft/graph/detail/store.hpp>
#include <graft/graph/detail/undo.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/tensor_proto.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Value* Graph::find(std::string_view name) const {
  const detail::NameTable::Hash hash = detail::NameTable::hash(name);  // once: scopes may be nested deep
  for (const Graph* scope = this; scope != nullptr; scope = scope->parent_)
    if (Value* const value = scope->names_.find(name, hash)) return value;
  return nullptr;
}

GRAFT_INLINE Node* Graph::find_node(std::string_view name) const {
  for (Node& node : nodes())
    if (node.name() == name) return &node;
  return nullptr;
}

GRAFT_INLINE std::string Graph::fresh_name(std::string_view hint) {
  const auto mark = hint.rfind("__");
  if (mark != std::string_view::npos && mark + 2 < hint.size() &&
      hint.find_first_not_of("0123456789", mark + 2) == std::string_view::npos)
    hint = hint.substr(0, mark);
  return std::string(hint) + "__" + std::to_string(++store_->suffix);
}

GRAFT_INLINE std::vector<Value*> Graph::initializers() const {
  std::vector<Value*> alive;
  alive.reserve(initializers_.size());
  for (Value* const value : initializers_)
    if (!value->erased()) alive.push_back(value);
  return alive;
}

// What an edit is given is checked before anything changes. The payload of what has been erased may be gone: messages
// do not spell its name.

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

/// Why nothing in this scope can read the value; "" if it can.
GRAFT_INLINE std::string Graph::why_unreadable(const Value& value) const {
  if (value.erased()) return "the value has been erased";
  const auto because = [&](const char* why) { return "'" + std::string(value.name()) + "' " + why; };
  if (value.graph_->store_ != store_) return because("is a value of another model");
  if (value.name().empty()) return "an output that is omitted cannot be read";
  for (const Graph* scope = this; scope != value.graph_; scope = scope->parent_) {
    if (scope->parent_ == nullptr) return because("is a value of a scope that is not visible here");
    if (scope->names_.find(value.name()) != nullptr) return because("is out of reach: a value of the body hides it");
  }
  return "";
}

/// Whether something in this scope reads a value from around it that has this name.
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

/// Puts a detached node, its bodies' uses included, into the scope.
GRAFT_INLINE void Graph::attach(Node& node, Node& next) {
  link_before(node, next);
  node.flags_ &= ~Node::erased_flag;
  ++node_count_;
  for (std::size_t i = 0; i < node.output_count_; ++i) {
    Value& output = node.first_output()[i];
    output.flags_ &= ~Value::erased_flag & 31u;
    if (!output.name().empty()) declare(output);
  }
  const auto link = [](Use& use) {
    if (use.value_ != nullptr) use.value_->link(use);
  };
  for (std::size_t i = 0; i < node.input_count_; ++i) link(node.uses_[i]);
  for_each_capture(node, link);
  for_each_body(node, [](Graph& body) { body.detached_ = false; });
}

/// Takes a node out. It still tells what it read, but is no user any more.
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

/// A new node must know its inputs where it stands: in this scope before it, around this scope before the body's node.
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
  const std::string hint = stored.name().empty() ? stored.op_type() : stored.name();
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
  // attach() links the captures, which reading has linked already.
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

/// Swaps the use records of a node for others.
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
  journal().record(detail::Undo::SetType{&value, old});
}

GRAFT_INLINE void Graph::declare_type(Value& value, const onnx::TypeProto& type) {
  set_type(value, type);
  value.graph_->touch(value.graph_->infos_changed_);
  journal().record(detail::Undo::DeclareType{&value, value.flags_});
  value.flags_ |= Value::declared_flag | Value::retyped_flag;
  if (type.value_case() != onnx::TypeProto::VALUE_NOT_SET) return;
  value.type_ = nullptr;
  value.flags_ &= ~Value::declared_flag & 31u;
}

namespace detail {

/// Everything but the contents of graph attributes, which keep their name and type. `to` is empty and lies on the same
/// arena, if any; `from` is left as it was.
inline void copy_without_graphs(onnx::NodeProto& from, onnx::NodeProto& to) {
  // A node's fields are those of this onnx.proto, whatever its version. The view points into the attributes, which
  // therefore stay where they are, with `to`, while the rest is merged.
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
    stub.mutable_unknown_fields()->MergeFrom(attribute.unknown_fields());
  }
}

}  // namespace detail

GRAFT_INLINE onnx::NodeProto& Graph::edit(Node& node) {
  check_alive(node);
  if ((node.flags_ & Node::own_payload_flag) != 0 && !journal().recording()) return *node.proto_;
  onnx::NodeProto* const old = node.proto_;
  onnx::NodeProto& copy = store_->create<onnx::NodeProto>();
  if (!node.bodies().empty()) {
    // Bodies are not copied: they stay in the old payload, and the commit moves them over.
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
  throw Error("holds a body, which is edited as a graph and goes with its node").node(node.name()).field(attribute);
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
  node.op_ = store_->ops.intern(name.domain, name.op_type);
  store_->identity_sources.forget();
}

GRAFT_INLINE Value& Graph::add_initializer(onnx::TensorProto tensor) {
  if (is_function()) {
    Attributes contents;
    contents.emplace_back("value", std::move(tensor));
    return *insert("Constant", {}, 1, contents, first_node()).output(0);
  }
  if (tensor.name().empty() || names_.find(tensor.name()) != nullptr || is_captured(tensor.name()))
    tensor.set_name(fresh_name(tensor.name().empty() ? "constant" : tensor.name()));
  onnx::TensorProto& stored = store_->create<onnx::TensorProto>();
  stored = std::move(tensor);
  store_->stow(stored);
  Value& value = *new_values(1);
  value.name_ = &stored.name();
  value.initializer_ = &stored;
  value.flags_ |= Value::initializer_flag;
  value.index_ = static_cast<std::uint32_t>(initializers_.size()) & ((1u << 27) - 1);
  initializers_.push_back(&value);
  declare(value);
  touch(initializers_changed_);
  journal().record(detail::Undo::AddValue{&value});
  return value;
}

GRAFT_INLINE Value& Graph::add_initializer(Tensor tensor, std::string_view hint) {
  onnx::TensorProto proto;
  write_tensor(std::move(tensor), proto);
  proto.set_name(fresh_name(hint.empty() ? "constant" : hint));
  return add_initializer(std::move(proto));
}

GRAFT_INLINE void Graph::set_initializer(Value& value, Tensor tensor) {
  check_alive(value);
  if (value.initializer() == nullptr) throw Error("is no initializer").field(value.name());
  onnx::TensorProto& stored = store_->create<onnx::TensorProto>();
  write_tensor(std::move(tensor), stored);
  store_->stow(stored);
  stored.set_name(std::string(value.name()));
  stored.set_doc_string(value.initializer_->doc_string());
  if (stored.doc_string().empty()) stored.clear_doc_string();
  value.graph_->touch(value.graph_->initializers_changed_);
  journal().record(detail::Undo::SetInitializer{&value, value.initializer_});
  value.initializer_ = &stored;
}

GRAFT_INLINE void Graph::erase(Value& initializer) {
  check_own(initializer);
  if (initializer.initializer() == nullptr || initializer.use_count() != 0)
    throw Error("only an unused initializer can be erased").field(initializer.name());
  touch(initializers_changed_);
  touch(infos_changed_);
  if (initializer.is_graph_input()) {
    // The input stays; it loses its default.
    journal().record(detail::Undo::EraseDefault{&initializer, initializer.initializer_});
    initializers_[initializer.index_] = &store_->nothing;
    initializer.producer_ = nullptr;
    initializer.flags_ &= ~Value::initializer_flag & 31u;
  } else {
    journal().record(detail::Undo::EraseInitializer{&initializer});
    names_.erase(initializer);
    initializer.flags_ |= Value::erased_flag;
  }
}

}  // namespace graft::inline v1
