#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/qdq.hpp>

namespace graft::inline v1::detail {

/// A value on a branch, and the nodes between it and the end; quantizers do not count.
struct BranchValue {
  const Value* value;
  std::size_t distance;
};

/// The value, and those that it is made of by first inputs, of at most 64 nodes.
inline std::vector<BranchValue> branch_to(const Value& value) {
  constexpr std::size_t longest = 64;
  std::vector<BranchValue> branch{{&value, 0}};
  while (branch.back().distance <= longest) {
    const Node* const maker = branch.back().value->producer();
    if (maker == nullptr || maker->input_count() == 0 || maker->input(0) == nullptr) break;
    const bool is_counted = !is_quantize(*maker) && !is_dequantize(*maker);
    branch.push_back({maker->input(0), branch.back().distance + is_counted});
  }
  return branch;
}

/// Whether a branch has more nodes than another, up to where both begin.
inline bool is_longer_branch(const Value& end, const Value& other_end) {
  const std::vector<BranchValue> other = branch_to(other_end);
  for (const BranchValue& one : branch_to(end)) {
    const auto common = std::ranges::find(other, one.value, &BranchValue::value);
    if (common != other.end()) return one.distance > common->distance;
  }
  return false;
}

}  // namespace graft::inline v1::detail
