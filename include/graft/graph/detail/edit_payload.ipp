#pragma once
// The primitive edits of operators and attributes. Each records beside itself how it is taken back.
#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/detail/identity_sources.hpp>
#include <graft/graph/detail/journal.hpp>
#include <graft/graph/detail/read.ipp>
#include <graft/graph/detail/store.hpp>
#include <graft/graph/detail/undo.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/op_id.hpp>

namespace graft::inline v1 {

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
  node.op_ = store_->intern(name.domain, name.op_type);
  store_->identity_sources.forget();
}

}  // namespace graft::inline v1
