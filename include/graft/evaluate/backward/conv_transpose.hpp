#pragma once
#include <cstdint>

#include <graft/evaluate/backward/conv.hpp>
#include <graft/evaluate/detail/gradient.hpp>
#include <graft/evaluate/detail/window.hpp>
#include <graft/evaluate/kernels/conv.hpp>
#include <graft/evaluate/kernels/conv_transpose.hpp>

namespace graft::inline v1::standard_kernels::backward {

/// ConvTranspose is the gradient of a Conv from y to x with the same weights: its own gradient of x is that Conv, and
/// the weights have the gradient that they have in that Conv.
inline void conv_transpose(BackwardContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Tensor& w = ctx.input(1);
  const auto groups = ctx.attr<std::int64_t>("group");
  const detail::Window window = detail::conv_transpose_window(ctx, x, w, groups);
  const Tensor& g = detail::gradient_of(ctx, detail::conv_transpose_dims(x, w, groups, window));
  if (ctx.needs(0)) ctx.set_gradient(0, detail::conv<float>(g, w, nullptr, window, groups, ctx.parallel()));
  if (ctx.needs(1)) ctx.set_gradient(1, detail::conv_weight_gradient(g, x, w.dims(), window, groups, ctx.parallel()));
  if (ctx.needs(2)) ctx.set_gradient(2, detail::channel_sums(g));
}

inline void add_conv_transpose(BackwardKernels& kernels) { kernels.add("ConvTranspose", conv_transpose); }

}  // namespace graft::inline v1::standard_kernels::backward
