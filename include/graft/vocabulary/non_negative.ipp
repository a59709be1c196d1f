#pragma once
#include <graft/vocabulary/non_negative.hpp>

#include <optional>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/operator_facts.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::vocabulary {

/// Whether Clip returns nothing below 0: both bounds are known, or the upper one is absent.
inline bool clips_at_0(const Node& clip) {
  if (clip.opset() < 11) return clip.attr<float>("min").value_or(-1) >= 0 && clip.attr<float>("max").value_or(0) >= 0;
  const auto is_at_least_0 = [](const Value& limit) {
    if (!limit.is_constant()) return false;
    try {
      const std::optional<Tensor> contents = limit.constant();
      return contents && contents->size() == 1 && contents->item<double>() >= 0;
    } catch (const Error&) {
      return false;
    }
  };
  const Value *const least = clip.input(1), *const most = clip.input(2);
  return least != nullptr && is_at_least_0(*least) && (most == nullptr || is_at_least_0(*most));
}

GRAFT_INLINE bool is_non_negative(const Value& value, std::size_t depth) {
  if (is_unsigned_integer(value.dtype())) return true;
  if (!is_float(value.dtype())) return false;
  const Node* const node = value.producer();
  if (node == nullptr || !node->domain().empty() || &value != node->output(0)) return false;
  for (const char* const made : {"Relu", "Sigmoid", "HardSigmoid", "Softmax", "Exp", "Abs", "Sqrt", "Softplus",
                                 "ReduceL1", "ReduceL2", "ReduceSumSquare"})
    if (node->is(made)) return true;
  if (node->is("Clip")) return clips_at_0(*node);
  if (depth == 0) return false;
  bool keeps = moves_elements(*node);
  for (const char* const kept :  // not ReduceMax: that of no elements is -infinity
       {"MaxPool", "AveragePool", "GlobalMaxPool", "GlobalAveragePool", "Floor", "Ceil", "Round"})
    keeps = keeps || node->is(kept);
  if (keeps) return node->input(0) != nullptr && is_non_negative(*node->input(0), depth - 1);
  if (!node->is("Concat") && !node->is("Add") && !node->is("Mul")) return false;
  for (const Value* const input : node->inputs())  // halved, because a value may have many paths
    if (input == nullptr || !is_non_negative(*input, depth / 2)) return false;
  return true;
}

}  // namespace graft::inline v1::vocabulary
