#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/gradient.hpp>
#include <graft/evaluate/detail/wrapping.hpp>
#include <graft/evaluate/kernels/layer_normalization.hpp>
#include <graft/evaluate/parallel.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The rows h of y = h scale + bias, and the factors by which they were scaled.
struct Standardized {
  Tensor rows, factors;
  bool centered;
  Dims channels{};  // the dims of scale and bias as they broadcast, if not their own

  const Dims& broadcast(const Tensor& parameter) const { return channels.empty() ? parameter.dims() : channels; }
};

/// The gradient of rows that were scaled by factors r to h = (x - mean) r, or h = x r: from the gradient g of h it is
/// r (g - mean(g) - h mean(g h)), or that without mean(g).
inline Tensor standardized_gradient(Tensor g, const Standardized& standard, const ParallelFor* parallel) {
  const std::int64_t rows = standard.factors.size(), width = rows == 0 ? 0 : g.size() / rows;
  const float* const h = standard.rows.data<float>().data();
  const float* const r = standard.factors.data<float>().data();
  float* const to = g.mutable_data<float>().data();
  for_each_range(parallel, rows, 1 + (1 << 14) / (1 + width), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      float* const row = to + i * width;
      const float* const normal = h + i * width;
      const float shift = standard.centered ? mean(row, width) : 0;
      const auto share = static_cast<float>(dot(row, normal, width) / static_cast<double>(width));
      for (std::int64_t k = 0; k < width; ++k) row[k] = r[i] * (row[k] - shift - normal[k] * share);
    }
  });
  return g;
}

/// Sets the gradients of the scale and of the bias, the next input.
inline void set_scale_gradients(BackwardContext& ctx, const Tensor& g, const Standardized& standard,
                                std::size_t scale) {
  const auto set = [&](std::size_t i, const Tensor& gradient) {
    const Tensor& parameter = ctx.input(i);
    ctx.set_gradient(i, sum_to(gradient, standard.broadcast(parameter)).reshaped(parameter.dims()));
  };
  if (ctx.needs(scale)) set(scale, combine(g, standard.rows, Mul(), ctx.parallel()));
  if (ctx.needs(scale + 1)) set(scale + 1, g);
}

/// The gradient of the rows before they were standardized.
inline Tensor rows_gradient(BackwardContext& ctx, const Tensor& g, const Standardized& standard, std::size_t scale) {
  const Tensor& parameter = ctx.input(scale);
  Tensor scaled = combine(g, parameter.reshaped(standard.broadcast(parameter)), Mul(), ctx.parallel());
  if (scaled.dims() != standard.rows.dims())
    throw failure({"a scale of ", parameter.dims(), " for an input of ", standard.rows.dims()});
  return standardized_gradient(std::move(scaled), standard, ctx.parallel());
}

}  // namespace graft::inline v1::standard_kernels::detail

/// The gradients of LayerNormalization, RMSNormalization, InstanceNormalization, GroupNormalization, and of
/// com.microsoft's SkipLayerNormalization.
namespace graft::inline v1::standard_kernels::backward {

/// The operator's input 0 is standardized; scale and bias are inputs 1 and 2.
inline void normalization(BackwardContext& ctx, const detail::Standardized& standard) {
  const Tensor& g = detail::gradient_of(ctx, standard.rows.dims());
  detail::set_scale_gradients(ctx, g, standard, 1);
  if (ctx.needs(0)) ctx.set_gradient(0, detail::rows_gradient(ctx, g, standard, 1));
}

inline void layer_normalization(BackwardContext& ctx) {
  Tensor x = ctx.input(0);
  const std::size_t axis = detail::normalized_axis(ctx.attr_or<std::int64_t>("axis", -1), x.rank());
  const auto epsilon = ctx.attr_or<float>("epsilon", 1e-5F);
  detail::Moments moments = detail::standardize(x, detail::rows_before(x.dims(), axis), epsilon);
  normalization(ctx, {std::move(x), std::move(moments.inverse_deviation), true});
}

inline void rms_normalization(BackwardContext& ctx) {
  Tensor x = ctx.input(0);
  const std::size_t axis = detail::normalized_axis(ctx.attr<std::int64_t>("axis"), x.rank());
  Tensor factors = detail::divide_by_rms(x, detail::rows_before(x.dims(), axis), ctx.attr<float>("epsilon"));
  normalization(ctx, {std::move(x), std::move(factors), false});
}

/// LayerNormalization of x + skip + bias, which is the fourth output.
inline void skip_layer_normalization(BackwardContext& ctx) {
  if (ctx.output_gradient(1) != nullptr || ctx.output_gradient(2) != nullptr)
    throw Error("gradients of mean and inv_std_var are not supported");
  Tensor x = detail::combine(ctx.input(0), ctx.input(1), detail::Add());
  if (ctx.has_input(4)) x = detail::combine(std::move(x), ctx.input(4), detail::Add());
  const Dims rows = detail::rows_before(x.dims(), detail::normalized_axis(-1, x.rank()));
  detail::Moments moments = detail::standardize(x, rows, ctx.attr<float>("epsilon"));
  const detail::Standardized standard{std::move(x), std::move(moments.inverse_deviation), true};
  Tensor sum;
  if (const Tensor* const g = ctx.output_gradient(0)) {
    detail::set_scale_gradients(ctx, *g, standard, 2);
    sum = detail::rows_gradient(ctx, *g, standard, 2);
  }
  if (const Tensor* const g = ctx.output_gradient(3)) sum = sum ? detail::combine(*g, sum, detail::Add()) : *g;
  for (const std::size_t i : {0U, 1U, 4U}) {
    if (ctx.needs(i)) ctx.set_gradient(i, detail::sum_to(sum, ctx.input(i).dims()));
  }
}

/// Each of `groups` groups of channels is standardized, then each channel scaled.
inline void normalize_groups(BackwardContext& ctx, std::int64_t groups) {
  Tensor x = ctx.input(0);
  detail::Moments moments = detail::standardize_groups(x, groups, ctx.attr<float>("epsilon"));
  Dims channels(x.rank() - 1, 1);
  channels[0] = detail::channels_of(x);
  normalization(ctx, {std::move(x), std::move(moments.inverse_deviation), true, std::move(channels)});
}

inline void instance_normalization(BackwardContext& ctx) {
  normalize_groups(ctx, detail::channels_of(ctx.input(0)));
}

inline void group_normalization(BackwardContext& ctx) {
  normalize_groups(ctx, ctx.attr<std::int64_t>("num_groups"));
}

inline void add_layer_normalization(BackwardKernels& kernels) {
  kernels.add("LayerNormalization", layer_normalization)
      .add("RMSNormalization", rms_normalization)
      .add("SimplifiedLayerNormalization", rms_normalization)
      .add("com.microsoft::SkipLayerNormalization", skip_layer_normalization)
      .add("InstanceNormalization", {6}, instance_normalization)
      .add("GroupNormalization", {21}, group_normalization);
}

}  // namespace graft::inline v1::standard_kernels::backward
