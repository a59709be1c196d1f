#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <graft/evaluate/backward_kernels.hpp>
#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/broadcast.hpp>
#include <graft/evaluate/detail/copy.hpp>
#include <graft/evaluate/detail/scratch.hpp>
#include <graft/evaluate/detail/sum.hpp>
#include <graft/evaluate/detail/unfilled.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// y = op(a, b) over the broadcast of two tensors of f32.
template <class Op>
Tensor combine(Tensor a, Tensor b, const Op& op, const ParallelFor* parallel = nullptr) {
  for (const Tensor* x : {&a, &b}) {
    if (x->dtype() != DType::f32) throw failure({"gradients of ", x->dtype(), " are not supported"});
  }
  return broadcast(std::move(a), std::move(b), DType::f32, run_binary<float, float, Op>, &op, parallel);
}

/// The inverse of gather_strided() for gradients: each element of g, read with the dims `extents`, is added to the
/// element of the result, of `dims`, at its position times the strides.
inline Tensor sum_strided(const Tensor& g, const Dims& extents, const Dims& strides, const Dims& dims) {
  std::vector<double> sums = scratch<double>(1, element_count(dims));
  const StridedLoop<2> walk(extents, {contiguous_strides(extents), strides});
  const std::int64_t step = walk.inner()[1];
  const float* const from = g.data<float>().data();
  walk.each_run([&](const auto& offset, std::int64_t count) {
    const float* const x = from + offset[0];
    double* const y = sums.data() + offset[1];
    if (step == 0) {
      *y += static_cast<double>(sum(x, count));
    } else {
      for (std::int64_t i = 0; i < count; ++i) y[i * step] += static_cast<double>(x[i]);
    }
  });
  Tensor y = unfilled(DType::f32, dims);
  std::ranges::transform(sums, y.mutable_data<float>().begin(), [](double value) { return static_cast<float>(value); });
  return y;
}

/// The gradient of an operand of `dims` that was broadcast to the dims of g.
inline Tensor sum_to(const Tensor& g, const Dims& dims) {
  if (g.dims() == dims) return g;
  return sum_strided(g, g.dims(), broadcast_strides(dims, g.dims()), dims);
}

/// g, repeated along the axes of extent 1.
inline Tensor broadcast_to(const Tensor& g, const Dims& dims) {
  return gather_strided(g, dims, 0, broadcast_strides(g.dims(), dims));
}

}  // namespace graft::inline v1::standard_kernels::detail
