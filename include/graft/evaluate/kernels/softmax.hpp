#pragma once
#include <algorithm>
#include <cmath>
#include <utility>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/kernel_table.hpp>
#include <graft/evaluate/detail/sum.hpp>
#include <graft/evaluate/permuted.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The slices that this family normalizes: along one axis; below opset 13, along all axes from that one on.
inline AxisView softmax_view(const KernelContext& ctx, const Dims& dims) {
  const auto declared = ctx.attr<std::int64_t>("axis");
  if (ctx.opset() >= 13) return AxisView(dims, normalized_axis(declared, dims.size()));
  const std::size_t axis = parting_axis(declared, dims.size());
  return AxisView({extent(dims, 0, axis), extent(dims, axis, dims.size()), 1}, 1);
}

/// Runs f(first, last) on each slice of x along the axis of the view, in float, or in double for f64.
template <class F>
Tensor map_slices(Tensor x, const AxisView& view, const F& f) {
  const DType dtype = x.dtype();
  const Dims dims = x.dims();
  // Slices that are not contiguous are copied, and copied back.
  const bool apart = view.inner > 1;
  x = cast(std::move(x), computed_in(dtype));
  if (apart) x = permuted(x.reshaped({view.outer, view.extent, view.inner}), {0, 2, 1});
  visit<float, double>(x.dtype(), [&]<class T>() {
    const auto values = x.mutable_data<T>();
    const std::size_t step = to_size(view.extent);
    for (std::size_t i = 0; i < values.size(); i += step) f(values.data() + i, values.data() + i + step);
  });
  if (apart) x = permuted(x, {0, 2, 1}).reshaped(dims);
  return cast(std::move(x), dtype);
}

inline Tensor softmax(Tensor x, const AxisView& view) {
  return map_slices(std::move(x), view, [](auto* first, auto* last) {
    const auto largest = *std::max_element(first, last);
    for (auto* at = first; at != last; ++at) *at = std::exp(*at - largest);
    const auto total = sum(first, last - first);
    for (auto* at = first; at != last; ++at) *at /= total;
  });
}

inline Tensor log_softmax(Tensor x, const AxisView& view) {
  return map_slices(std::move(x), view, [](auto* first, auto* last) {
    const auto largest = *std::max_element(first, last);
    const auto total = sum(first, last - first, [largest](auto value) { return std::exp(value - largest); });
    const auto shift = largest + std::log(total);
    for (auto* at = first; at != last; ++at) *at -= shift;
  });
}

/// 1 at the first of the largest elements, 0 elsewhere.
inline Tensor hardmax(Tensor x, const AxisView& view) {
  return map_slices(std::move(x), view, [](auto* first, auto* last) {
    auto* const largest = std::max_element(first, last);
    std::fill(first, last, 0);
    *largest = 1;
  });
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

template <Tensor (*Normalize)(Tensor, const detail::AxisView&)>
void normalize_slices(KernelContext& ctx) {
  const detail::AxisView view = detail::softmax_view(ctx, ctx.input(0).dims());
  ctx.set_output(0, Normalize(ctx.take_input(0), view));
}

inline void add_softmax(Kernels& kernels) {
  kernels.add("Softmax", normalize_slices<detail::softmax>)
      .add("LogSoftmax", normalize_slices<detail::log_softmax>)
      .add("Hardmax", normalize_slices<detail::hardmax>);
}

}  // namespace graft::inline v1::standard_kernels
