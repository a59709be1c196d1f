#pragma once
#include <algorithm>

#include <graft/graph/graph.hpp>
#include <graft/quantize/calibrate/ranges.hpp>

namespace graft::inline v1::detail {

/// Whether an input or output of a node was empty on all samples.
inline bool was_empty(const Node& node, const Ranges& ranges) {
  const auto is_empty = [&](const Value& value) {
    const Range* const range = value.is_constant() ? nullptr : ranges.find(value.name());
    return range != nullptr && range->empty();
  };
  const auto inputs = node.inputs();
  const auto outputs = node.outputs();
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](const Value* input) { return input != nullptr && is_empty(*input); }) ||
         std::any_of(outputs.begin(), outputs.end(), is_empty);
}

}  // namespace graft::inline v1::detail
