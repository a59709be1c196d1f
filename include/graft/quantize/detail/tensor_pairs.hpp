#pragma once
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/quantize/observe.hpp>
#include <graft/quantize/qdq.hpp>

namespace graft::inline v1::detail {

/// A tensor of the float graph, and what stands for it in the quantized one.
struct TensorPair {
  const Value* floats;
  const Value* quantized;
};

/// The tensors that both graphs have by name: as what reads them in the quantized graph sees them, behind their pair if
/// they have one.
inline std::vector<TensorPair> tensor_pairs(const Graph& floats, const Graph& quantized) {
  std::vector<TensorPair> pairs;
  for (const Value* const value : observable(floats)) {
    const Value* const same = quantized.find(value->name());
    if (same == nullptr || same->is_constant()) continue;
    const Value* const behind = dequantized(*same);
    pairs.push_back({value, behind != nullptr ? behind : same});
  }
  return pairs;
}

}  // namespace graft::inline v1::detail
