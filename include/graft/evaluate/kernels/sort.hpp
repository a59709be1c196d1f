#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/attributes.hpp>
#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/kernels/gather.hpp>
#include <graft/evaluate/permuted.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::standard_kernels {
namespace detail {

/// Maps floats to integers of the same order: inverts the sign bit, and for negative numbers all other bits. Both zeros
/// are equal, and NaN is above all.
inline std::uint64_t sort_key(double x) {
  if (std::isnan(x)) return std::numeric_limits<std::uint64_t>::max();
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  const auto code = std::bit_cast<std::uint64_t>(x + 0.0);
  return (code & sign) != 0 ? ~code : code | sign;
}

/// Integers in the order of the elements, so that sorting is compiled once for all types.
inline std::vector<std::uint64_t> sort_keys(const Tensor& x) {
  if (!is_float(x.dtype()) && !is_signed(x.dtype())) return x.to<std::uint64_t>();
  std::vector<std::uint64_t> keys;
  if (is_float(x.dtype())) {
    for (const double value : x.to<double>()) keys.push_back(sort_key(value));
  } else {
    for (const std::int64_t value : x.to<std::int64_t>())
      keys.push_back(static_cast<std::uint64_t>(value) ^ (std::uint64_t{1} << 63));
  }
  return keys;
}

}  // namespace detail

/// TopK, Unique.

/// k is an attribute below opset 10. Equal elements keep their order. The result is always sorted.
inline void top_k(KernelContext& ctx) {
  const Tensor& x = ctx.input(0);
  const std::size_t axis = detail::normalized_axis(ctx.attr<std::int64_t>("axis"), x.rank());
  const detail::AxisView view(x.dims(), axis);
  const std::int64_t k = ctx.has_input(1) ? ctx.input(1).item<std::int64_t>() : ctx.attr<std::int64_t>("k");
  if (k < 0 || k > view.extent) throw detail::failure({"no ", k, " elements along axis ", axis, " of ", x});
  const bool largest = ctx.attr_or<std::int64_t>("largest", 1) != 0;
  const std::vector<std::uint64_t> keys = detail::sort_keys(x);

  Dims dims = x.dims();
  dims[axis] = k;
  Tensor indices(DType::i64, dims);
  std::int64_t* const index = indices.mutable_data<std::int64_t>().data();
  Ints places(detail::to_size(indices.size()));
  Ints order(x.size() == 0 ? 0 : detail::to_size(view.extent));
  for (std::int64_t slice = 0; slice < view.outer * view.inner; ++slice) {
    const std::int64_t outer = slice / view.inner, inner = slice % view.inner;
    const auto place = [&](std::int64_t i) { return (outer * view.extent + i) * view.inner + inner; };
    const auto before = [&](std::int64_t a, std::int64_t b) {
      const std::uint64_t left = keys[detail::to_size(place(a))], right = keys[detail::to_size(place(b))];
      return left == right ? a < b : (left < right) != largest;
    };
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + k, order.end(), before);
    for (std::int64_t i = 0; i < k; ++i) {
      const std::int64_t to = (outer * k + i) * view.inner + inner;
      index[to] = order[detail::to_size(i)];
      places[detail::to_size(to)] = place(index[to]);
    }
  }
  ctx.set_output(0, detail::take_runs(x, places, 1, std::move(dims)));
  ctx.set_output(1, std::move(indices));
}

/// The distinct slices along the axis, or without an axis the distinct elements: the first index of each, the number of
/// each slice's distinct one, and the counts. Sorted, or in order of appearance.
inline void unique(KernelContext& ctx) {
  Tensor x = ctx.take_input(0);
  const auto declared = ctx.optional_attr<std::int64_t>("axis");
  if (!declared) x = x.reshaped({x.size()});
  const std::size_t axis = detail::normalized_axis(declared.value_or(0), x.rank());
  std::vector<std::size_t> front(x.rank());
  std::iota(front.begin(), front.end(), std::size_t{0});
  std::rotate(front.begin(), front.begin() + static_cast<std::ptrdiff_t>(axis),
              front.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
  const std::vector<std::uint64_t> keys = detail::sort_keys(permuted(x, front));
  const std::int64_t extent = x.dims()[axis];
  const std::int64_t width = extent == 0 ? 0 : x.size() / extent;
  const auto row = [&](std::int64_t i) { return keys.data() + i * width; };
  const auto same = [&](std::int64_t a, std::int64_t b) { return std::equal(row(a), row(a) + width, row(b)); };

  allocated_bytes(DType::i64, Dims{extent});  // empty slices can be any number
  Ints order(detail::to_size(extent));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return std::lexicographical_compare(row(a), row(a) + width, row(b), row(b) + width);
  });
  Ints first, first_of(order.size());
  for (const std::int64_t i : order) {
    if (first.empty() || !same(first.back(), i)) first.push_back(i);
    first_of[detail::to_size(i)] = first.back();
  }
  if (ctx.attr<std::int64_t>("sorted") == 0) std::sort(first.begin(), first.end());

  Ints number(order.size()), inverse, counts(first.size(), 0);
  for (std::size_t i = 0; i < first.size(); ++i) number[detail::to_size(first[i])] = detail::to_int(i);
  for (const std::int64_t i : first_of) {
    inverse.push_back(number[detail::to_size(i)]);
    ++counts[detail::to_size(inverse.back())];
  }
  ctx.set_output(0, detail::take_slices(x, axis, first, {detail::to_int(first.size())}));
  std::size_t output = 0;
  for (const Ints* list : {&first, &inverse, &counts}) ctx.set_output(++output, Tensor::list(*list));
}

inline void add_sort(Kernels& kernels) { kernels.add("TopK", top_k).add("Unique", unique); }

}  // namespace graft::inline v1::standard_kernels
