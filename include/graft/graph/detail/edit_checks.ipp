#pragma once
#include <functional>

#include <graft/config.hpp>
#include <graft/graph/detail/name_table.hpp>
#include <graft/graph/detail/store.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

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

}  // namespace graft::inline v1
