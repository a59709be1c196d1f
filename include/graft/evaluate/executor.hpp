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

/// A value of the graph that is run, or its name there.
class ValueRef {
 public:
  ValueRef(const Value& value) : value_(&value) {}
  ValueRef(const Value* value) : value_(value) {}
  ValueRef(std::string name) : name_(std::move(name)) {}
  ValueRef(std::string_view name) : name_(name) {}
  ValueRef(const char* name) : name_(name) {}

  /// nullptr if it is given by name.
  const Value* value() const { return value_; }
  std::string_view name() const { return value_ != nullptr ? value_->name() : std::string_view(name_); }

 private:
  const Value* value_ = nullptr;
  std::string name_;
};

/// What stands for the inputs, and for any other value that is not to be computed.
using Feeds = std::vector<std::pair<ValueRef, Tensor>>;
/// Which values are wanted.
using Fetches = std::vector<ValueRef>;
/// Sees a wanted value, by its place among the fetches, as it passes.
using Observer = std::function<void(std::size_t fetch, const Tensor& tensor)>;

/// What runs a graph: Evaluator, or another runtime's session.
template <class E>
concept Executor = requires(E& executor, const Feeds& feeds, const Fetches& fetches, const Observer& observer) {
  { executor.run(feeds, fetches) } -> std::same_as<std::vector<Tensor>>;
  executor.observe(feeds, fetches, observer);
};

}  // namespace graft::inline v1
