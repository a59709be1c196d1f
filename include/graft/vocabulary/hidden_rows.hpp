#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::vocabulary {

/// Whether a mask that is added to scores is -infinity in all of so many elements in a row, one after the other.
inline bool hides_runs(const Tensor& mask, std::ptrdiff_t length) {
  const std::vector<double> added = mask.to<double>();
  for (auto run = added.begin(); run != added.end(); run += length)
    if (std::all_of(run, run + length, [](double each) { return std::isinf(each) && each < 0; })) return true;
  return false;
}

/// Whether a mask that is added to scores may be -infinity in all of a row, or in all that a row has in front of some
/// key if the attention is causal, so that a query sees no key. It is not if it is a constant that is not, or a Where
/// between numbers that are not, whatever its dims have become.
inline bool may_hide_rows(const Value& mask, bool is_causal) {
  if (const auto constant = mask.constant()) {
    const bool by_element = is_causal || constant->rank() == 0;
    return hides_runs(*constant, by_element ? 1 : static_cast<std::ptrdiff_t>(constant->dims().back()));
  }
  constexpr std::array<std::string_view, 5> moving{"Expand", "Reshape", "Unsqueeze", "Squeeze", "Identity"};
  const Node* node = mask.producer();
  for (int i = 0; node != nullptr && i < 16; ++i) {  // more than there are in front of any mask
    const bool is_moved = std::any_of(moving.begin(), moving.end(), [&](std::string_view op) { return node->is(op); });
    if (!is_moved || node->input(0) == nullptr) break;
    node = node->input(0)->producer();
  }
  if (node == nullptr || !node->is("Where")) return true;
  for (const std::size_t branch : {std::size_t{1}, std::size_t{2}}) {
    const auto chosen = node->input(branch) == nullptr ? std::nullopt : node->input(branch)->constant();
    if (!chosen || hides_runs(*chosen, 1)) return true;
  }
  return false;
}

}  // namespace graft::inline v1::vocabulary
