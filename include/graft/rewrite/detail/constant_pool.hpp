#pragma once
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include <graft/graph/graph.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// New constants by their contents, so that equal constants of a scope share a value. get() detects and replaces
/// entries that were erased or undone.
class ConstantPool {
 public:
  Value& get(Graph& scope, Tensor tensor, std::string_view hint);

 private:
  std::unordered_multimap<std::uint64_t, Value*> constants_;
};

}  // namespace graft::inline v1::detail
