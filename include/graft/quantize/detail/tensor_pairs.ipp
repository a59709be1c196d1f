#pragma once
#include <graft/quantize/detail/tensor_pairs.hpp>

#include <graft/config.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/calibrate/observe.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE std::vector<TensorPair> tensor_pairs(const Graph& floats, const Graph& quantized) {
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
