#pragma once
#include <graft/quantize/prepare/huge_weights.hpp>

#include <algorithm>
#include <optional>
#include <unordered_set>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qdq/extent.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/observe_statistics.hpp>
#include <graft/quantize/detail/float_channels.hpp>

namespace graft::inline v1 {

namespace detail {

/// The quantized result of a Conv or Gemm: that of the activation which is its only reader, if there is one.
inline const Value& quantized_output(const Node& node) {
  const Node* const activation = sole_activation(*node.output(0));
  return activation != nullptr ? *activation->output(0) : *node.output(0);
}

/// Whether four of the 255 steps of the input, times the greatest weight, cross the range of the output. Live channels
/// do not need such weights, but dead ones may have them, for example after folding a BatchNormalization with a
/// variance near 0.
inline bool has_huge_weights(const Node& node, const Ranges& ranges) {
  if (!has_channel_response(node) || node.input(0) == nullptr || node.input(1) == nullptr) return false;
  const std::optional<Tensor> weight = node.input(1)->constant();
  const Range* const in = ranges.find(node.input(0)->name());
  const Range* const out = ranges.find(quantized_output(node).name());
  if (!weight || weight->dtype() != DType::f32 || in == nullptr || out == nullptr) return false;
  const auto span = [](Range range) {
    range.merge({0, 0});
    return double{range.max} - range.min;
  };
  const Range weights = extent_of(weight->data<float>()).range;
  return std::max(-double{weights.min}, double{weights.max}) * span(*in) > 255.0 / 4 * span(*out);
}

}  // namespace detail

GRAFT_INLINE std::vector<const Value*> values_around_huge_weights(const Graph& graph, const Ranges& ranges) {
  std::unordered_set<const Value*> wanted;
  for (const Node& node : graph.nodes())
    if (detail::has_huge_weights(node, ranges))
      wanted.insert({node.input(0), node.output(0), &detail::quantized_output(node)});
  std::vector<const Value*> values = channel_values(graph);
  std::erase_if(values, [&](const Value* value) { return wanted.count(value) == 0; });
  return values;
}

}  // namespace graft::inline v1
