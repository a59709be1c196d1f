#pragma once
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <graft/evaluate/kernels/layer_normalization.hpp>
#include <graft/evaluate/kernels/reduce.hpp>
#include <graft/evaluate/kernels/softmax.hpp>

/// LRN, LpNormalization, MeanVarianceNormalization.
namespace graft::inline v1::standard_kernels {

/// x / (bias + alpha / size * the sum of squares over `size` neighbouring channels)^beta
inline void lrn(KernelContext& ctx) {
  const DType dtype = ctx.input(0).dtype();
  const Tensor x = detail::cast(ctx.take_input(0), detail::computed_in(dtype));
  if (x.rank() < 2) throw detail::failure({x, " has no channels"});
  const detail::AxisView view(x.dims(), 1);
  const auto size = ctx.attr<std::int64_t>("size");
  if (size < 1) throw Error("must be positive").field("size");
  Tensor y(x.dtype(), x.dims());
  detail::visit<float, double>(x.dtype(), [&]<class T>() {
    const T bias = static_cast<T>(ctx.attr<float>("bias"));
    const T factor = static_cast<T>(ctx.attr<float>("alpha")) / static_cast<T>(size);
    const T power = static_cast<T>(ctx.attr<float>("beta"));
    for (std::int64_t row = 0; row < view.outer * view.extent; ++row) {
      const std::int64_t channel = row % view.extent;
      const std::int64_t first = channel - std::min(channel, (size - 1) / 2);
      const std::int64_t last = channel + std::min(view.extent - 1 - channel, size / 2);
      T* const to = y.mutable_data<T>().data() + row * view.inner;
      const T* const from = x.data<T>().data() + row * view.inner;
      for (std::int64_t c = first - channel; c <= last - channel; ++c) {
        for (std::int64_t i = 0; i < view.inner; ++i) to[i] += from[c * view.inner + i] * from[c * view.inner + i];
      }
      for (std::int64_t i = 0; i < view.inner; ++i) to[i] = from[i] / std::pow(bias + factor * to[i], power);
    }
  });
  ctx.set_output(0, detail::cast(std::move(y), dtype));
}

/// x over the 1-norm or 2-norm of its slice; 0 where that is 0, as in ONNX Runtime.
inline void lp_normalization(KernelContext& ctx) {
  const auto p = ctx.attr<std::int64_t>("p");
  if (p != 1 && p != 2) throw Error("must be 1 or 2").field("p");
  const Dims dims = ctx.input(0).dims();
  const detail::AxisView view(dims, detail::normalized_axis(ctx.attr<std::int64_t>("axis"), dims.size()));
  ctx.set_output(0, detail::map_slices(ctx.take_input(0), view, [p](auto* first, auto* last) {
                   const auto norm = p == 1 ? detail::sum(first, last - first, detail::Magnitude())
                                            : std::sqrt(detail::sum(first, last - first, detail::Square()));
                   for (auto* x = first; x != last && norm != 0; ++x) *x /= norm;
                 }));
}

/// (x - mean) / (deviation + 1e-9) over the axes, by default all but the channels'.
inline void mean_variance_normalization(KernelContext& ctx) {
  const DType dtype = ctx.input(0).dtype();
  const Dims dims = ctx.input(0).dims();
  std::vector<bool> reduced(dims.size(), false);
  for (const std::int64_t axis : ctx.attr<Ints>("axes")) reduced[detail::normalized_axis(axis, dims.size())] = true;
  const detail::Reduction reduction(dims, reduced, true);
  Tensor x = permuted(detail::cast(ctx.take_input(0), detail::computed_in(dtype)), reduction.order);
  detail::standardize(x, {reduction.rows}, 0, 1e-9F);
  std::vector<std::size_t> back(dims.size());
  for (std::size_t i = 0; i < back.size(); ++i) back[reduction.order[i]] = i;
  ctx.set_output(0, detail::cast(permuted(x, back), dtype));
}

inline void add_normalization(Kernels& kernels) {
  kernels.add("LRN", lrn)
      .add("LpNormalization", lp_normalization)
      .add("MeanVarianceNormalization", mean_variance_normalization);
}

}  // namespace graft::inline v1::standard_kernels
