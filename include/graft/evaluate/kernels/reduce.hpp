#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/cast.hpp>
#include <graft/evaluate/detail/sum.hpp>
#include <graft/evaluate/kernels/arithmetic.hpp>
#include <graft/evaluate/permuted.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// The axes of a reduction, and the dims of its result.
struct Reduction {
  std::vector<std::size_t> order;  // the kept axes, then the reduced ones
  Dims dims;
  std::int64_t rows = 1, width = 1;

  Reduction(const Dims& from, const std::vector<bool>& reduced, bool keep_dims) {
    std::vector<std::size_t> last;
    for (std::size_t axis = 0; axis < from.size(); ++axis) {
      (reduced[axis] ? last : order).push_back(axis);
      (reduced[axis] ? width : rows) *= from[axis];
      if (!reduced[axis]) {
        dims.push_back(from[axis]);
      } else if (keep_dims) {
        dims.push_back(1);
      }
    }
    order.insert(order.end(), last.begin(), last.end());
  }
};

/// axes is an attribute, or an input since the version in which the operator has it; without axes, all are reduced.
inline std::vector<bool> read_reduced(const KernelContext& ctx) {
  const Dims& dims = ctx.input(0).dims();
  Ints axes = ctx.has_input(1) ? ctx.input(1).to<std::int64_t>() : ctx.optional_attr<Ints>("axes").value_or(Ints{});
  const bool all = axes.empty() && ctx.attr_or<std::int64_t>("noop_with_empty_axes", 0) == 0;
  std::vector<bool> reduced(dims.size(), all);
  for (const std::int64_t axis : axes) reduced[normalized_axis(axis, dims.size())] = true;
  return reduced;
}

}  // namespace graft::inline v1::standard_kernels::detail

namespace graft::inline v1::standard_kernels {

/// One number for each row. Only this function knows the types.
using RowLoop = void (*)(const void* x, void* y, std::int64_t rows, std::int64_t width);

template <class T, class F>
void run_rows(const void* x, void* y, std::int64_t rows, std::int64_t width) {
  for (std::int64_t i = 0; i < rows; ++i) static_cast<T*>(y)[i] = F()(static_cast<const T*>(x) + i * width, width);
}

inline void reduce(KernelContext& ctx, RowLoop (*loop)(DType)) {
  const bool keep_dims = ctx.attr<std::int64_t>("keepdims") != 0;
  const detail::Reduction reduction(ctx.input(0).dims(), detail::read_reduced(ctx), keep_dims);
  const DType dtype = ctx.input(0).dtype();
  const Tensor x = permuted(detail::cast(ctx.take_input(0), detail::computed_in(dtype)), reduction.order);
  Tensor y(x.dtype(), reduction.dims);
  loop(x.dtype())(x.bytes().data(), y.mutable_bytes().data(), reduction.rows, reduction.width);
  if (reduction.width == 0 && dtype != x.dtype() && !is_float(dtype)) {
    // The result for an empty row is an extreme of the arithmetic type of y; it becomes an extreme of y.
    const DType integer = dtype == DType::boolean ? DType::u8 : dtype;
    y = Tensor::of(integer, y.dims(), y.to<std::int64_t>());
  }
  ctx.set_output(0, detail::cast(std::move(y), dtype));
}

/// The kernel that computes a number for each row by f(row, width), for tensors whose type or arithmetic type is one of
/// Ts.
template <class... Ts, class F>
Kernel reduction(F) {
  return +[](KernelContext& ctx) {
    reduce(ctx, [](DType dtype) {
      return detail::visit<Ts...>(dtype, []<class T>() -> RowLoop { return run_rows<T, F>; });
    });
  };
}
template <class F>
Kernel reduction_of_numbers(F f) {
  return reduction<float, double, std::int32_t, std::int64_t>(f);
}
template <class F>
Kernel reduction_of_floats(F f) {
  return reduction<float, double>(f);
}

/// The extreme of a row by Op; of an empty row the neutral element of Op: -infinity or the lowest integer for Max.
template <class Op, class T>
T extreme(const T* row, std::int64_t width, T start) {
  for (std::int64_t i = 0; i < width; ++i) start = Op()(start, row[i]);
  return start;
}

template <class T>
T row_maximum(const T* row, std::int64_t width) {
  using Limits = std::numeric_limits<T>;
  return extreme<detail::Max>(row, width, Limits::has_infinity ? -Limits::infinity() : Limits::lowest());
}

template <class T>
T row_minimum(const T* row, std::int64_t width) {
  using Limits = std::numeric_limits<T>;
  return extreme<detail::Min>(row, width, Limits::has_infinity ? Limits::infinity() : Limits::max());
}

/// log(sum(exp(x))), with the largest x taken out of the sum to avoid overflow.
template <class T>
T row_log_sum_exp(const T* row, std::int64_t width) {
  const T largest = row_maximum(row, width);
  const T shift = std::isfinite(largest) ? largest : T{0};
  return shift + std::log(detail::sum(row, width, [shift](T x) { return std::exp(x - shift); }));
}

template <class T>
T row_product(const T* row, std::int64_t width) {
  T product = 1;
  for (std::int64_t i = 0; i < width; ++i) product = detail::Mul()(product, row[i]);
  return product;
}

template <class T>
T row_mean(const T* row, std::int64_t width) {
  if (std::is_integral_v<T> && width == 0) throw Error("the mean of no integers");
  return detail::mean(row, width);
}

/// The index along one axis of the first or last extreme element; better(a, b) means that a is more extreme than b.
template <class Better>
void arg_extreme(KernelContext& ctx, Better better) {
  const Dims& dims = ctx.input(0).dims();
  std::vector<bool> reduced(dims.size(), false);
  reduced[detail::normalized_axis(ctx.attr<std::int64_t>("axis"), dims.size())] = true;
  const bool last = ctx.attr_or<std::int64_t>("select_last_index", 0) != 0;
  const detail::Reduction reduction(dims, reduced, ctx.attr<std::int64_t>("keepdims") != 0);
  const DType wide = detail::computed_in(ctx.input(0).dtype());
  const Tensor x = permuted(detail::cast(ctx.take_input(0), wide), reduction.order);
  if (reduction.width == 0) throw Error("the axis is empty");
  Tensor y(DType::i64, reduction.dims);
  detail::visit<float, double, std::int32_t, std::int64_t>(x.dtype(), [&]<class T>() {
    const T* row = x.data<T>().data();
    for (std::int64_t& best : y.mutable_data<std::int64_t>()) {
      for (std::int64_t i = 1; i < reduction.width; ++i) {
        if (better(row[i], row[best]) || (last && row[i] == row[best])) best = i;
      }
      row += reduction.width;
    }
  });
  ctx.set_output(0, std::move(y));
}

inline void arg_max(KernelContext& ctx) {
  arg_extreme(ctx, [](auto a, auto b) { return a > b; });
}

inline void arg_min(KernelContext& ctx) {
  arg_extreme(ctx, [](auto a, auto b) { return a < b; });
}

inline void add_reduce(Kernels& kernels) {
  using detail::sum;
  kernels.add("ReduceSum", reduction_of_numbers([](auto* x, std::int64_t n) { return sum(x, n); }))
      .add("ReduceMean", reduction_of_numbers([](auto* x, std::int64_t n) { return row_mean(x, n); }))
      .add("ReduceMax", reduction_of_numbers([](auto* x, std::int64_t n) { return row_maximum(x, n); }))
      .add("ReduceMin", reduction_of_numbers([](auto* x, std::int64_t n) { return row_minimum(x, n); }))
      .add("ReduceProd", reduction_of_numbers([](auto* x, std::int64_t n) { return row_product(x, n); }))
      .add("ReduceSumSquare", reduction_of_numbers([](auto* x, std::int64_t n) { return sum(x, n, detail::Square()); }))
      .add("ReduceL1", reduction_of_numbers([](auto* x, std::int64_t n) { return sum(x, n, detail::Magnitude()); }))
      .add("ReduceL2",
           reduction_of_floats([](auto* x, std::int64_t n) { return std::sqrt(sum(x, n, detail::Square())); }))
      .add("ReduceLogSum", reduction_of_floats([](auto* x, std::int64_t n) { return std::log(sum(x, n)); }))
      .add("ReduceLogSumExp", reduction_of_floats([](auto* x, std::int64_t n) { return row_log_sum_exp(x, n); }))
      .add("ArgMax", arg_max)
      .add("ArgMin", arg_min);
}

}  // namespace graft::inline v1::standard_kernels
