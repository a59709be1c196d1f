#pragma once
#include <cstddef>
#include <vector>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/rewriter.hpp>

// com.microsoft::SkipLayerNormalization(x, skip, weight, beta?, bias?) -> y, _, _, sum, and
// SkipSimplifiedLayerNormalization, which has no beta

namespace graft::inline v1::detail {

/// What it normalizes.
inline Value& skip_sum(Rewriter& rewriter, Node& node, std::size_t bias = 3) {
  Value& sum = rewriter.op("Add", {node.input(0), node.input(1)});
  return node.input(bias) != nullptr ? rewriter.op("Add", {&sum, node.input(bias)}) : sum;
}

/// The mean and deviation have no successor.
inline Verdict replace_skip(Rewriter& rewriter, Node& node, Value& normalized, Value& sum) {
  std::vector<Value*> successors(node.output_count());
  successors[0] = &normalized;
  if (successors.size() > 3) successors[3] = &sum;
  return rewriter.replace(node, successors);
}

}  // namespace graft::inline v1::detail
