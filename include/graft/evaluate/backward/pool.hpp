#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/gradient.hpp>
#include <graft/evaluate/detail/window.hpp>
#include <graft/evaluate/kernels/arithmetic.hpp>
#include <graft/evaluate/kernels/pool.hpp>
#include <graft/evaluate/parallel.hpp>

/// The gradients of MaxPool, AveragePool, GlobalAveragePool.
namespace graft::inline v1::standard_kernels::backward {

/// The gradient goes to the first of the largest inputs of each window.
inline void max_pool(BackwardContext& ctx) {
  if (!ctx.needs(0)) return;
  const Tensor& x = ctx.input(0);
  const detail::Window window = detail::pool_window(ctx, x.dims());
  const Dims dims = detail::output_dims(x.dims()[0], x.dims()[1], window);
  const Tensor& g = detail::gradient_of(ctx, dims);
  const Tensor indices = max_pool_with_indices<float>(x, window, dims, false, ctx.parallel()).second;
  Tensor gradient(DType::f32, x.dims());
  const float* const from = g.data<float>().data();
  const std::int64_t* const index = indices.data<std::int64_t>().data();
  float* const to = gradient.mutable_data<float>().data();
  for (std::int64_t i = 0; i < g.size(); ++i) {
    if (index[i] >= 0) to[index[i]] += from[i];
  }
  ctx.set_gradient(0, std::move(gradient));
}

inline void average_pool(BackwardContext& ctx) {
  if (!ctx.needs(0)) return;
  const Tensor& x = ctx.input(0);
  const detail::Window window = detail::pool_window(ctx, x.dims());
  const Tensor& g = detail::gradient_of(ctx, detail::output_dims(x.dims()[0], x.dims()[1], window));
  const std::vector<float> counts =
      detail::pool_counts<float>(window, ctx.attr_or<std::int64_t>("count_include_pad", 0) != 0);
  Tensor gradient(DType::f32, x.dims());
  const float* const gradients = g.data<float>().data();
  float* const images = gradient.mutable_data<float>().data();
  detail::for_each_part(ctx.parallel(), x.dims()[0] * x.dims()[1], [&](std::int64_t image) {
    const float* const from = gradients + image * window.output_size();
    float* const to = images + image * window.input_size();
    window.each_run([&](std::int64_t out, std::int64_t in, std::int64_t, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i)
        to[in + i * window.stride[2]] += from[out + i] / counts[detail::to_size(out + i)];
    });
  });
  ctx.set_gradient(0, std::move(gradient));
}

inline void global_average_pool(BackwardContext& ctx) {
  if (!ctx.needs(0)) return;
  const Tensor& x = ctx.input(0);
  const Tensor& g = ctx.output_gradient();
  const Tensor share = detail::times(g, static_cast<double>(g.size()) / static_cast<double>(x.size()));
  ctx.set_gradient(0, detail::broadcast_to(share, x.dims()));
}

inline void add_pool(BackwardKernels& kernels) {
  kernels.add("MaxPool", max_pool).add("AveragePool", average_pool).add("GlobalAveragePool", global_average_pool);
}

}  // namespace graft::inline v1::standard_kernels::backward
