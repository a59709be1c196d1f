#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/builtins.hpp>
#include <graft/graph/shape.hpp>

/// Arithmetic on extents, which may be symbols or unknown.
namespace graft::inline v1::infer {

/// The dims of a shape of known rank, as a vector to be changed.
inline std::vector<Dim> to_dims(const Shape& shape) {
  std::vector<Dim> dims(shape.rank());
  for (std::size_t axis = 0; axis < dims.size(); ++axis) dims[axis] = shape[axis];
  return dims;
}

/// Maps a possibly negative axis to 0 <= axis < rank; nullopt if it is out of range.
constexpr std::optional<std::size_t> normalized(std::int64_t axis, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

/// Maps all axes; nullopt if one is out of range or appears twice.
inline std::optional<std::vector<std::size_t>> normalized(std::span<const std::int64_t> axes, std::size_t rank) {
  std::vector<std::size_t> result;
  for (const std::int64_t axis : axes) {
    const auto place = normalized(axis, rank);
    if (!place || std::find(result.begin(), result.end(), *place) != result.end()) return std::nullopt;
    result.push_back(*place);
  }
  return result;
}

/// The symbol for an unknown extent: unk__0, unk__1 and so on.
inline std::string made_up_symbol(std::size_t number) { return "unk__" + std::to_string(number); }
/// Whether the symbol is such a one, or a sum with one.
constexpr bool is_made_up(const Dim& extent) { return extent.symbol().find("unk__") != std::string_view::npos; }

/// How exact an extent is: unknown, a made-up symbol, a sum of symbols, a symbol of the model, a number.
constexpr int exactness(const Dim& extent) {
  if (extent.known()) return 4;
  if (!extent.symbolic()) return 0;
  if (is_made_up(extent)) return 1;
  return extent.symbol().find(" + ") != std::string_view::npos ? 2 : 3;
}

/// The more exact one of two extents of the same axis; nullopt if they differ.
constexpr std::optional<Dim> unify(const Dim& a, const Dim& b) {
  if (a.known() && b.known() && a != b) return std::nullopt;
  return exactness(b) > exactness(a) ? b : a;
}

/// The extent of two broadcast operands along one axis (NumPy's rule); nullopt if they do not fit.
constexpr std::optional<Dim> broadcast(const Dim& a, const Dim& b) {
  if (a == Dim(1)) return b;
  if (b == Dim(1)) return a;
  if (a.known() && b.known()) return a == b ? std::optional(a) : std::nullopt;
  if (a.known()) return a;
  if (b.known()) return b;
  return same_size(a, b) ? a : Dim();
}

/// The shape of two broadcast operands; nullopt if they do not fit.
inline std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  if (!a.known() || !b.known()) return Shape();
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  std::vector<Dim> dims = to_dims(longer);
  const std::size_t offset = longer.rank() - shorter.rank();
  for (std::size_t axis = 0; axis < shorter.rank(); ++axis) {
    const auto dim = broadcast(dims[offset + axis], shorter[axis]);
    if (!dim) return std::nullopt;
    dims[offset + axis] = *dim;
  }
  return Shape(std::move(dims));
}

constexpr Dim add(const Dim& a, const Dim& b) {
  if (a.known() && b.known()) {
    std::int64_t sum = 0;
    return builtins::add_overflows(a.value(), b.value(), sum) ? Dim() : Dim(sum);
  }
  if (a == Dim(0)) return b;
  if (b == Dim(0)) return a;
  return {};
}

constexpr Dim multiply(const Dim& a, const Dim& b) {
  if (a == Dim(0) || b == Dim(0)) return Dim(0);
  if (a.known() && b.known()) {
    std::int64_t product = 0;
    return builtins::multiply_overflows(a.value(), b.value(), product) ? Dim() : Dim(product);
  }
  if (a == Dim(1)) return b;
  if (b == Dim(1)) return a;
  return {};
}

inline Dim product(std::span<const Dim> dims) {
  Dim result(1);
  for (const Dim& dim : dims) result = multiply(result, dim);
  return result;
}

/// The quotient of two products of extents, which must be an integer; equal factors cancel. Unknown if the extents do
/// not determine it; nullopt if it is certainly not an integer.
inline std::optional<Dim> quotient(std::vector<Dim> numerator, std::vector<Dim> denominator) {
  std::erase_if(denominator, [&](const Dim& dim) {
    if (!dim.symbolic()) return false;
    const auto same = std::find(numerator.begin(), numerator.end(), dim);
    if (same == numerator.end()) return false;
    numerator.erase(same);
    return true;
  });
  const auto number = [](std::vector<Dim>& dims) {
    Dim result(1);
    std::erase_if(dims, [&](const Dim& dim) {
      if (dim.known()) result = multiply(result, dim);
      return dim.known();
    });
    return result;
  };
  const Dim over = number(numerator), under = number(denominator);
  if (!over.known() || !under.known() || under.value() == 0) return Dim();
  if (!numerator.empty() || !denominator.empty()) {
    return over == under && denominator.empty() ? product(numerator) : Dim();
  }
  if (over.value() % under.value() != 0) return std::nullopt;
  return Dim(over.value() / under.value());
}

}  // namespace graft::inline v1::infer
