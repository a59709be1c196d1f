#pragma once
#include <concepts>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// A value of the graph, or its name in the graph.
class ValueRef {
 public:
  ValueRef(const Value& value) : value_(&value) {}
  ValueRef(const Value* value) : value_(value) {}
  ValueRef(std::string name) : name_(std::move(name)) {}
  ValueRef(std::string_view name) : name_(name) {}
  ValueRef(const char* name) : name_(name) {}

  /// nullptr if it was given by name.
  const Value* value() const { return value_; }
  std::string_view name() const { return value_ != nullptr ? value_->name() : std::string_view(name_); }

 private:
  const Value* value_ = nullptr;
  std::string name_;
};

/// Tensors for the inputs, and for any other values that are not to be computed.
using Feeds = std::vector<std::pair<ValueRef, Tensor>>;
/// The wanted values.
using Fetches = std::vector<ValueRef>;
/// Called with each wanted value and its index among the fetches, as soon as it is computed.
using Observer = std::function<void(std::size_t fetch, const Tensor& tensor)>;

/// Runs a graph: an Evaluator, or another runtime's session.
template <class E>
concept Executor = requires(E& executor, const Feeds& feeds, const Fetches& fetches, const Observer& observer) {
  { executor.run(feeds, fetches) } -> std::same_as<std::vector<Tensor>>;
  executor.observe(feeds, fetches, observer);
};

}  // namespace graft::inline v1
