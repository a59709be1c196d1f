#pragma once
#include <cstddef>
#include <optional>

#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::vocabulary {

/// What a Clip keeps its input above, if that is a constant.
inline std::optional<double> lower_bound(const Node& clip) {
  if (clip.opset() < 11) return clip.attr<float>("min");
  const Value* const least = clip.input(1);
  if (least == nullptr || !least->is_constant()) return std::nullopt;
  try {
    const std::optional<Tensor> contents = least->constant();
    if (contents && contents->size() == 1) return contents->item<double>();
  } catch (const Error&) {
  }
  return std::nullopt;
}

/// Whether no element of a value is below 0, as what makes it tells (NaN aside). Looks at most that many nodes up.
inline bool is_non_negative(const Value& value, std::size_t depth = 8) {
  if (is_unsigned_integer(value.dtype())) return true;
  const Node* const node = value.producer();
  if (node == nullptr || !node->domain().empty() || &value != node->output(0)) return false;
  for (const char* const made : {"Relu", "Sigmoid", "HardSigmoid", "Softmax", "Exp", "Abs", "Sqrt", "Softplus",
                                 "ReduceL1", "ReduceL2", "ReduceSumSquare"})
    if (node->is(made)) return true;
  if (node->is("Clip")) {
    const std::optional<double> least = lower_bound(*node);
    return least && *least >= 0;
  }
  if (depth == 0) return false;
  for (const char* const kept :
       {"MaxPool", "AveragePool", "GlobalMaxPool", "GlobalAveragePool", "Transpose", "Reshape", "Flatten", "Squeeze",
        "Unsqueeze", "Slice", "Identity", "Floor", "Ceil", "Round", "Split", "Gather"})
    if (node->is(kept)) return node->input(0) != nullptr && is_non_negative(*node->input(0), depth - 1);
  if (!node->is("Concat") && !node->is("Add") && !node->is("Mul")) return false;
  for (const Value* const input : node->inputs())  // halved, for a value may be reached by many ways
    if (input == nullptr || !is_non_negative(*input, depth / 2)) return false;
  return true;
}

}  // namespace graft::inline v1::vocabulary
