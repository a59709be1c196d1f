#pragma once
#include <cmath>
#include <cstdint>
#include <utility>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/gradient.hpp>
#include <graft/evaluate/kernels/softmax.hpp>
#include <graft/evaluate/parallel.hpp>
#include <graft/evaluate/permuted.hpp>

/// The gradients of Softmax and LogSoftmax.
namespace graft::inline v1::standard_kernels::backward {

/// Runs f(g, y, gradient, count) on each slice along the axis.
template <class F>
void each_slice(BackwardContext& ctx, const F& f) {
  if (!ctx.needs(0)) return;
  const Tensor& y = ctx.output(0);
  const detail::AxisView view = detail::softmax_view(ctx, y.dims());
  const auto rows = [&](const Tensor& x) {
    return view.inner == 1 ? x : permuted(x.reshaped({view.outer, view.extent, view.inner}), {0, 2, 1});
  };
  const Tensor slopes = rows(detail::gradient_of(ctx, y.dims())), values = rows(y);
  Tensor gradient = detail::unfilled(DType::f32, values.dims());
  const float* const from = slopes.data<float>().data();
  const float* const at = values.data<float>().data();
  float* const to = gradient.mutable_data<float>().data();
  for_each_range(ctx.parallel(), view.outer * view.inner, 1 + (1 << 14) / (1 + view.extent),
                         [&](std::int64_t first, std::int64_t last) {
                           for (std::int64_t i = first * view.extent; i < last * view.extent; i += view.extent)
                             f(from + i, at + i, to + i, view.extent);
                         });
  if (view.inner > 1) gradient = permuted(gradient, {0, 2, 1});
  ctx.set_gradient(0, gradient.reshaped(y.dims()));
}

/// (g - sum(g y)) y
inline void softmax(BackwardContext& ctx) {
  each_slice(ctx, [](const float* g, const float* y, float* gradient, std::int64_t count) {
    const auto total = static_cast<float>(detail::dot(g, y, count));
    for (std::int64_t i = 0; i < count; ++i) gradient[i] = (g[i] - total) * y[i];
  });
}

/// g - sum(g) exp(y)
inline void log_softmax(BackwardContext& ctx) {
  each_slice(ctx, [](const float* g, const float* y, float* gradient, std::int64_t count) {
    const float total = detail::sum(g, count);
    for (std::int64_t i = 0; i < count; ++i) gradient[i] = g[i] - total * std::exp(y[i]);
  });
}

inline void add_softmax(BackwardKernels& kernels) {
  kernels.add("Softmax", softmax).add("LogSoftmax", log_softmax);
}

}  // namespace graft::inline v1::standard_kernels::backward
