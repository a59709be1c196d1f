#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <graft/evaluate/backward_kernels.hpp>
#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/broadcast.hpp>
#include <graft/evaluate/detail/copy.hpp>
#include <graft/evaluate/detail/failure.hpp>
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

/// The gradient of the first output. Throws Error unless it has the dims.
inline const Tensor& gradient_of(const BackwardContext& ctx, const Dims& dims) {
  const Tensor& g = ctx.output_gradient();
  if (g.dims() != dims) throw failure({"a gradient of ", g.dims(), " for an output of ", dims});
  return g;
}

/// The kernel of an elementwise function of one input, whose gradient is f(g, x).
template <class F>
BackwardKernel of_input(F) {
  return +[](BackwardContext& ctx) {
    if (ctx.needs(0)) ctx.set_gradient(0, combine(ctx.output_gradient(), ctx.input(0), F(), ctx.parallel()));
  };
}

/// The same for a gradient f(g, y) of the output.
template <class F>
BackwardKernel of_output(F) {
  return +[](BackwardContext& ctx) {
    if (ctx.needs(0)) ctx.set_gradient(0, combine(ctx.output_gradient(), ctx.output(0), F(), ctx.parallel()));
  };
}

/// The same for a gradient f(g, x, alpha), where alpha is an attribute.
template <class F>
BackwardKernel of_input_and_alpha(F) {
  return +[](BackwardContext& ctx) {
    const auto f = [alpha = ctx.attr<float>("alpha")](float g, float x) { return F()(g, x, alpha); };
    if (ctx.needs(0)) ctx.set_gradient(0, combine(ctx.output_gradient(), ctx.input(0), f, ctx.parallel()));
  };
}

/// The sum of products.
inline double dot(const float* a, const float* b, std::int64_t count) {
  std::array<double, 8> parts{};
  for (; count >= 8; count -= 8, a += 8, b += 8) {
    for (std::size_t k = 0; k < 8; ++k) parts[k] += static_cast<double>(a[k]) * static_cast<double>(b[k]);
  }
  for (std::int64_t i = 0; i < count; ++i) parts[0] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

/// The inverse of gather_strided() for gradients: each element of g, read with the dims `extents`, is added to the
/// element of the result, of `dims`, at its position times the strides.
inline Tensor sum_strided(const Tensor& g, const Dims& extents, const Dims& strides, const Dims& dims) {
  if (g.size() != element_count(extents)) throw failure({"a gradient of ", g.dims(), " for an output of ", extents});
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

inline void check_broadcast(const Dims& from, const Dims& to) {
  if (broadcast_dims(from, to) != to) throw failure({"dims ", from, " do not broadcast to ", to});
}

/// The gradient of an operand of `dims` that was broadcast to the dims of g.
inline Tensor sum_to(const Tensor& g, const Dims& dims) {
  if (g.dims() == dims) return g;
  check_broadcast(dims, g.dims());
  return sum_strided(g, g.dims(), broadcast_strides(dims, g.dims()), dims);
}

/// g, repeated along the axes of extent 1.
inline Tensor broadcast_to(const Tensor& g, const Dims& dims) {
  check_broadcast(g.dims(), dims);
  return gather_strided(g, dims, 0, broadcast_strides(g.dims(), dims));
}

}  // namespace graft::inline v1::standard_kernels::detail
