#pragma once
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/detail/gradient.hpp>
#include <graft/evaluate/detail/wrapping.hpp>
#include <graft/evaluate/kernels/normalization.hpp>

namespace graft::inline v1::standard_kernels::backward {

/// In inference: y = (x - mean) scale / sqrt(variance + epsilon) + bias for each channel. The gradients of these four
/// follow from the channel's sums of g and of g (x - mean).
inline void batch_normalization(BackwardContext& ctx) {
  if (ctx.attr_or<std::int64_t>("training_mode", 0) != 0) throw Error("training is not supported");
  const Tensor& x = ctx.input(0);
  const Tensor& g = detail::gradient_of(ctx, x.dims());
  const Dims view = detail::by_channel(x.dims(), ctx.attr_or<std::int64_t>("spatial", 1) != 0);
  const std::size_t channels = detail::to_size(view[1]);
  for (std::size_t i = 1; i < 5; ++i) {
    if (ctx.input(i).size() != view[1])
      throw detail::failure({"input ", i, " is ", ctx.input(i), " for ", view[1], " channels"});
  }
  const std::vector<double> scale = ctx.input(1).to<double>(), mean = ctx.input(3).to<double>();
  std::vector<double> inverse = ctx.input(4).to<double>();  // of the deviation
  for (double& value : inverse) value = 1 / std::sqrt(value + static_cast<double>(ctx.attr<float>("epsilon")));

  if (ctx.needs(0)) {
    std::vector<float> factors;
    for (std::size_t c = 0; c < channels; ++c) factors.push_back(static_cast<float>(scale[c] * inverse[c]));
    const Tensor by_channel = Tensor::of({view[1], 1}, factors);
    const Tensor gradient = detail::combine(g.reshaped(view), by_channel, detail::Mul(), ctx.parallel());
    ctx.set_gradient(0, gradient.reshaped(x.dims()));
  }
  if (!ctx.needs(1) && !ctx.needs(2) && !ctx.needs(3) && !ctx.needs(4)) return;
  std::vector<double> sums(channels), products(channels);
  const float* values = x.data<float>().data();
  const float* slopes = g.data<float>().data();
  for (std::int64_t row = 0; row < view[0] * view[1]; ++row, values += view[2], slopes += view[2]) {
    const std::size_t c = detail::to_size(row % view[1]);
    const auto total = static_cast<double>(detail::sum(slopes, view[2]));
    sums[c] += total;
    products[c] += detail::dot(slopes, values, view[2]) - mean[c] * total;
  }
  const auto set = [&](std::size_t i, auto value) {
    if (!ctx.needs(i)) return;
    std::vector<double> gradient;
    for (std::size_t c = 0; c < channels; ++c) gradient.push_back(value(c));
    ctx.set_gradient(i, Tensor::of(DType::f32, ctx.input(i).dims(), gradient));
  };
  set(1, [&](std::size_t c) { return products[c] * inverse[c]; });
  set(2, [&](std::size_t c) { return sums[c]; });
  set(3, [&](std::size_t c) { return -sums[c] * scale[c] * inverse[c]; });
  set(4, [&](std::size_t c) { return -products[c] * scale[c] * std::pow(inverse[c], 3) / 2; });
}

inline void add_normalization(BackwardKernels& kernels) {
  kernels.add("BatchNormalization", {7}, batch_normalization);
}

}  // namespace graft::inline v1::standard_kernels::backward
