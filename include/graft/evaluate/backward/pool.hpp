#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/gradient.hpp>
#include <graft/evaluate/detail/read_window.hpp>
#include <graft/evaluate/detail/slide.hpp>
#include <graft/evaluate/detail/unfilled.hpp>
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
  const float* const values = x.data<float>().data();
  const float* const gradients = g.data<float>().data();
  Tensor largest = detail::unfilled(DType::f32, dims), gradient(DType::f32, x.dims());
  float* const all_largest = largest.mutable_data<float>().data();
  float* const images = gradient.mutable_data<float>().data();
  detail::pool<detail::Largest>(values, all_largest, dims[0] * dims[1], window, detail::lowest_start<float>,
                                ctx.parallel());
  for_each_part(ctx.parallel(), dims[0] * dims[1], [&](std::int64_t image) {
    const float* const from = values + image * window.input_size();
    const float* const most = all_largest + image * window.output_size();
    const float* const slopes = gradients + image * window.output_size();
    float* const to = images + image * window.input_size();
    std::vector<char> found(detail::to_size(window.output_size()));
    window.each_run([&](std::int64_t out, std::int64_t in, std::int64_t, std::int64_t count) {
      for (std::int64_t i = out; i < out + count; ++i, in += window.stride[2]) {
        if (from[in] != most[i] || found[detail::to_size(i)] != 0) continue;
        found[detail::to_size(i)] = 1;
        to[in] += slopes[i];
      }
    });
  });
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
  for_each_part(ctx.parallel(), x.dims()[0] * x.dims()[1], [&](std::int64_t image) {
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
