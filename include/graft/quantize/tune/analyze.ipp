#pragma once
#include <graft/quantize/tune/analyze.hpp>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/qdq/extent.hpp>

namespace graft::inline v1 {

namespace detail {

GRAFT_INLINE void PairNoise::add(const Tensor& x, const Tensor& q) {
  if (x.dtype() != DType::f32 || q.dtype() != DType::f32 || x.dims() != q.dims()) return;
  seen = true;
  power.add(x.data<float>(), q.data<float>());
  floats.merge(extent_of(x.data<float>()).range);
  quantized.merge(extent_of(q.data<float>()).range);
}

GRAFT_INLINE std::vector<TensorNoise> worst_first(const std::vector<TensorPair>& pairs,
                                                  const std::vector<PairNoise>& noises) {
  std::vector<TensorNoise> tensors;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!noises[i].seen) continue;
    const Node* const maker = pairs[i].floats->producer();
    tensors.push_back({std::string(pairs[i].floats->name()), maker != nullptr ? std::string(maker->name()) : "",
                       noises[i].power.decibels(), noises[i].floats, noises[i].quantized});
  }
  std::stable_sort(tensors.begin(), tensors.end(),
                   [](const TensorNoise& a, const TensorNoise& b) { return a.decibels < b.decibels; });
  return tensors;
}

}  // namespace detail

}  // namespace graft::inline v1
