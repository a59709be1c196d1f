#pragma once
#include <cmath>
#include <type_traits>
#include <utility>

#include <graft/evaluate/kernels/pad.hpp>
#include <graft/evaluate/kernels/pool.hpp>
#include <graft/evaluate/kernels/scatter.hpp>

/// LpPool, GlobalLpPool, MaxUnpool.
namespace graft::inline v1::standard_kernels {

/// The p-norm of each window.
inline void lp_pool(KernelContext& ctx) {
  const DType dtype = ctx.input(0).dtype();
  Tensor x = detail::cast(ctx.take_input(0), detail::computed_in(dtype));
  const detail::Window window = detail::pool_window(ctx, x.dims());
  Tensor y = detail::unfilled(x.dtype(), detail::output_dims(x.dims()[0], x.dims()[1], window));
  detail::visit<float, double>(x.dtype(), [&]<class T>() {
    const T p = static_cast<T>(ctx.attr<std::int64_t>("p"));
    const auto in = x.mutable_data<T>(), out = y.mutable_data<T>();
    for (T& value : in) value = std::pow(std::abs(value), p);
    detail::pool<detail::PlainSum, T>(in.data(), out.data(), y.dims()[0] * y.dims()[1], window, T{0});
    for (T& value : out) value = std::pow(value, 1 / p);
  });
  ctx.set_output(0, detail::cast(std::move(y), dtype));
}

inline void global_lp_pool(KernelContext& ctx) {
  const auto p = static_cast<double>(ctx.attr<std::int64_t>("p"));
  ctx.set_output(0, detail::global_pool(ctx.take_input(0), [p](const auto* image, std::int64_t size) {
                   using T = std::remove_cvref_t<decltype(*image)>;
                   const T power = static_cast<T>(p);
                   const auto raised = [power](T x) { return std::pow(std::abs(x), power); };
                   return std::pow(detail::sum(image, size, raised), 1 / power);
                 }));
}

/// Writes the results of MaxPool back to its indices; other elements are 0. output_shape may enlarge the ends.
inline void max_unpool(KernelContext& ctx) {
  const Dims& from = ctx.input(0).dims();
  const Tensor& indices = ctx.input(1);
  const detail::WindowAttributes window(ctx, from, ctx.attr<Ints>("kernel_shape"));
  if (indices.dims() != from) throw detail::failure({"indices ", indices, " for an input of ", from});
  Dims dims = from;
  for (std::size_t i = 0; i < window.rank(); ++i) {
    dims[2 + i] = (from[2 + i] - 1) * window.strides[i] + window.reach(i) - window.pads[i] -
                  window.pads[window.rank() + i];
  }
  Tensor y(ctx.input(0).dtype(), dims);
  Ints places = indices.to<std::int64_t>();
  for (std::int64_t& place : places) place = detail::normalized_index(place, y.size());
  y = detail::scatter_runs(std::move(y), ctx.take_input(0), places, 1, "none");
  if (ctx.has_input(2)) {
    const Ints shape = ctx.input(2).to<std::int64_t>();
    if (shape.size() != dims.size()) throw detail::failure({"an output shape of ", shape, " for ", dims});
    Ints more;
    for (std::size_t i = 0; i < dims.size(); ++i) more.push_back(detail::checked_sum(shape[i], -dims[i]));
    y = detail::pad_constant(y, Ints(dims.size(), 0), more, Tensor());
  }
  ctx.set_output(0, std::move(y));
}

inline void add_lp_pool(Kernels& kernels) {
  kernels.add("LpPool", {2}, lp_pool).add("GlobalLpPool", {2}, global_lp_pool).add("MaxUnpool", max_unpool);
}

}  // namespace graft::inline v1::standard_kernels
