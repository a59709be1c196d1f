#pragma once
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include <graft/evaluate/detail/failure.hpp>
#include <graft/evaluate/kernel_context.hpp>
#include <graft/graph/builtins.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// An attribute whose value must be one of the names. Throws Error for another value, and for an absent attribute
/// without a fallback.
inline std::string_view choice(const KernelContext& ctx, std::string_view attribute,
                               std::initializer_list<std::string_view> names,
                               std::optional<std::string_view> fallback = std::nullopt) {
  const auto value =
      fallback ? ctx.attr_or<std::string_view>(attribute, *fallback) : ctx.attr<std::string_view>(attribute);
  if (std::find(names.begin(), names.end(), value) == names.end())
    throw failure({"unknown value ", value}).field(attribute);
  return value;
}

/// An attribute of `count` numbers, all `fallback` if it is absent or empty.
inline Ints list_attribute(const KernelContext& ctx, std::string_view attribute, std::size_t count,
                           std::int64_t fallback) {
  Ints values = ctx.optional_attr<Ints>(attribute).value_or(Ints{});
  if (values.empty()) values.assign(count, fallback);
  if (values.size() != count) throw failure({"expected ", count, " numbers, not ", values}).field(attribute);
  return values;
}

inline std::size_t to_size(std::int64_t n) { return static_cast<std::size_t>(n); }
inline std::int64_t to_int(std::size_t n) { return static_cast<std::int64_t>(n); }

/// Converts an axis in [-rank, rank) to [0, rank). Throws Error if it is outside.
inline std::size_t normalized_axis(std::int64_t axis, std::size_t rank) {
  const std::int64_t n = to_int(rank);
  if (axis < -n || axis >= n) throw failure({"axis ", axis, " is outside rank ", rank});
  return to_size(axis < 0 ? axis + n : axis);
}

/// Converts an axis in [-rank, rank], which splits the axes before it from the others.
inline std::size_t parting_axis(std::int64_t axis, std::size_t rank) {
  return axis == to_int(rank) ? rank : normalized_axis(axis, rank);
}

/// Throws Error if the sum overflows.
inline std::int64_t checked_sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (builtins::add_overflows(a, b, sum)) throw failure({a, " + ", b, " overflows"});
  return sum;
}

/// a / b rounded up, for a >= 0 and b > 0.
inline std::int64_t ceil_quotient(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0); }

/// The number of elements of the axes [first, last).
inline std::int64_t extent(const Dims& dims, std::size_t first, std::size_t last) {
  std::int64_t product = 1;
  for (std::size_t i = first; i < last; ++i) product *= dims[i];
  return product;
}

/// The dims as seen from one axis: the elements before it, its extent, and the elements behind it.
struct AxisView {
  std::int64_t outer, extent, inner;

  AxisView(const Dims& dims, std::size_t axis)
      : outer(detail::extent(dims, 0, axis)), extent(dims[axis]), inner(detail::extent(dims, axis + 1, dims.size())) {}
};

}  // namespace graft::inline v1::standard_kernels::detail
