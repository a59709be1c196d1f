#pragma once
#include <algorithm>
#include <cmath>
#include <utility>

#include <graft/evaluate/detail/axes.hpp>
#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/permute.hpp>
#include <graft/evaluate/detail/sum.hpp>
#include <graft/evaluate/kernels.hpp>

namespace graft::inline v1::kernels::detail {

/// What the operators of this family normalize: the slices along one axis, below opset 13 along all from the axis on.
inline AxisView softmax_view(const KernelContext& ctx, const Dims& dims) {
  const auto declared = ctx.attr<std::int64_t>("axis");
  if (ctx.opset() >= 13) return AxisView(dims, normalized_axis(declared, dims.size()));
  const std::size_t axis = declared == to_int(dims.size()) ? dims.size() : normalized_axis(declared, dims.size());
  return AxisView({extent(dims, 0, axis), extent(dims, axis, dims.size()), 1}, 1);
}

/// The kernel that runs f(first, last) on each slice.
template <class F>
void normalize_slices(KernelContext& ctx, const F& f) {
  Tensor x = ctx.take_input(0);
  const DType dtype = x.dtype();
  const Dims dims = x.dims();
  const AxisView view = softmax_view(ctx, dims);
  // Slices that do not lie in one piece are brought together and put back.
  const bool apart = view.inner > 1;
  x = cast(std::move(x), computed_in(dtype));
  if (apart) x = permuted(x.reshaped({view.outer, view.extent, view.inner}), {0, 2, 1});
  visit<float, double>(x.dtype(), [&]<class T>() {
    const auto values = x.mutable_data<T>();
    const std::size_t step = to_size(view.extent);
    for (std::size_t i = 0; i < values.size(); i += step) f(values.data() + i, values.data() + i + step);
  });
  if (apart) x = permuted(x, {0, 2, 1}).reshaped(dims);
  ctx.set_output(0, cast(std::move(x), dtype));
}

}  // namespace graft::inline v1::kernels::detail

namespace graft::inline v1::kernels {

inline void softmax(KernelContext& ctx) {
  detail::normalize_slices(ctx, [](auto* first, auto* last) {
    const auto largest = *std::max_element(first, last);
    for (auto* x = first; x != last; ++x) *x = std::exp(*x - largest);
    const auto total = detail::sum(first, last - first);
    for (auto* x = first; x != last; ++x) *x /= total;
  });
}

inline void log_softmax(KernelContext& ctx) {
  detail::normalize_slices(ctx, [](auto* first, auto* last) {
    const auto largest = *std::max_element(first, last);
    const auto total = detail::sum(first, last - first, [largest](auto x) { return std::exp(x - largest); });
    const auto shift = largest + std::log(total);
    for (auto* x = first; x != last; ++x) *x -= shift;
  });
}

/// 1 at the first of the largest, 0 elsewhere.
inline void hardmax(KernelContext& ctx) {
  detail::normalize_slices(ctx, [](auto* first, auto* last) {
    auto* const largest = std::max_element(first, last);
    std::fill(first, last, 0);
    *largest = 1;
  });
}

inline void add_softmax(Kernels& kernels) {
  kernels.add("Softmax", softmax).add("LogSoftmax", log_softmax).add("Hardmax", hardmax);
}

}  // namespace graft::inline v1::kernels
