#pragma once
#include <graft/graph/value.hpp>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Node* Value::producer() const { return flags_ & initializer_flag ? nullptr : producer_; }

GRAFT_INLINE Graph& Value::graph() const { return *graph_; }

GRAFT_INLINE UseRange::Iterator UseRange::Iterator::operator++(int) {
  Iterator old = *this;
  ++*this;
  return old;
}

GRAFT_INLINE Node& UserRange::Iterator::operator*() const { return *use_->user(); }

GRAFT_INLINE Node* UserRange::Iterator::operator->() const { return use_->user(); }

GRAFT_INLINE UserRange::Iterator& UserRange::Iterator::operator++() {
  ++use_;
  skip_graph_outputs();
  return *this;
}

GRAFT_INLINE UserRange::Iterator UserRange::Iterator::operator++(int) {
  Iterator old = *this;
  ++*this;
  return old;
}

GRAFT_INLINE Node& UserRange::front() const { return *begin(); }

GRAFT_INLINE UserRange Value::users() const { return UserRange(uses()); }

}  // namespace graft::inline v1
