#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/dim.hpp>

/// Operators that change the shape and keep the elements.
namespace graft::inline v1::infer {

/// The result of Reshape with this `target`: 0 copies a dim (unless allow_zero), and one -1 takes the rest. nullopt if
/// the number of elements cannot fit.
inline std::optional<Shape> reshaped(const Shape& from, const std::vector<Integer>& target, bool allow_zero) {
  std::vector<Dim> dims;
  bool rest = false;
  for (std::size_t axis = 0; axis < target.size(); ++axis) {
    const Integer& wanted = target[axis];
    if (wanted.is(0) && !allow_zero) {
      if (from.known() && axis >= from.rank()) return std::nullopt;
      dims.push_back(from.known() ? from[axis] : Dim());
    } else if (wanted.is(-1)) {
      if (rest) return std::nullopt;
      rest = true;
      dims.push_back(Dim());
    } else if (wanted.known() && wanted.value() < -1) {
      return std::nullopt;
    } else {
      dims.push_back(wanted.dim());
    }
  }
  if (!from.known()) return Shape(std::move(dims));
  const auto unknown = std::find(dims.begin(), dims.end(), Dim());
  const auto unknowns = std::count(dims.begin(), dims.end(), Dim());
  if (unknowns == 0) {
    const auto ratio = quotient(to_dims(from), dims);
    return !ratio || (ratio->known() && *ratio != Dim(1)) ? std::nullopt : std::optional(Shape(std::move(dims)));
  }
  // A single unknown dim, be it -1 or not, follows from the others, because the number of elements stays.
  if (unknowns == 1) {
    std::vector<Dim> others(dims.begin(), unknown);
    others.insert(others.end(), unknown + 1, dims.end());
    const auto ratio = quotient(to_dims(from), std::move(others));
    if (!ratio) return std::nullopt;
    *unknown = *ratio;
  }
  return Shape(std::move(dims));
}

inline bool allows_zero(const InferContext& c) { return c.opset() >= 14 && c.attr("allowzero", 0) != 0; }

inline Verdict reshape(InferContext& c) {
  std::vector<Integer> target;
  if (c.opset() < 5) {
    const auto shape = c.attr<Ints>("shape");
    if (!shape) return Verdict::yes();
    target.assign(shape->begin(), shape->end());
  } else {
    const Contents* const shape = c.contents(1);
    if (shape == nullptr) return Verdict::yes();
    target = shape->elements;
  }
  const auto shape = reshaped(c.shape(0), target, allows_zero(c));
  if (!shape) return Verdict::no("the shape does not fit the number of elements");
  c.set_shape(0, *shape);
  return Verdict::yes();
}

/// The axes of Squeeze or Unsqueeze: an attribute before version 13, an input since.
inline InferContext::Parameter squeeze_axes(const InferContext& c) { return c.parameter("axes", 1); }

inline std::optional<Shape> unsqueezed(const Shape& from, const Ints& axes) {
  const std::size_t rank = from.rank() + axes.size();
  const auto places = normalized(axes, rank);
  if (!places) return std::nullopt;
  std::vector<Dim> dims(rank);
  for (const std::size_t axis : *places) dims[axis] = Dim(1);
  std::size_t next = 0;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    if (std::find(places->begin(), places->end(), axis) == places->end()) dims[axis] = from[next++];
  }
  return Shape(std::move(dims));
}

inline Verdict unsqueeze(InferContext& c) {
  const auto axes = squeeze_axes(c);
  if (!axes.given) return Verdict::no("axes are missing");
  if (!axes.count || !c.shape(0).known()) return Verdict::yes();
  if (!axes.values) {
    c.set_shape(0, std::vector<Dim>(c.shape(0).rank() + *axes.count));
    return Verdict::yes();
  }
  const auto shape = unsqueezed(c.shape(0), *axes.values);
  if (!shape) return Verdict::no("an axis is out of range or named twice");
  c.set_shape(0, *shape);
  return Verdict::yes();
}

/// Without axes, removes all dims of 1. Of unknown rank if their number is unknown; nullopt if a named dim is not 1.
inline std::optional<Shape> squeezed(const Shape& from, const InferContext::Parameter& axes) {
  std::vector<bool> drop(from.rank());
  if (axes.values) {
    const auto places = normalized(*axes.values, from.rank());
    if (!places) return std::nullopt;
    for (const std::size_t axis : *places) {
      if (from[axis].known() && from[axis].value() != 1) return std::nullopt;
      drop[axis] = true;
    }
  } else {
    if (axes.given && (!axes.count || *axes.count > from.rank())) return Shape();
    if (axes.given) return Shape(std::vector<Dim>(from.rank() - *axes.count));
    for (std::size_t axis = 0; axis < from.rank(); ++axis) {
      if (!from[axis].known()) return Shape();
      drop[axis] = from[axis].value() == 1;
    }
  }
  std::vector<Dim> dims;
  for (std::size_t axis = 0; axis < from.rank(); ++axis) {
    if (!drop[axis]) dims.push_back(from[axis]);
  }
  return Shape(std::move(dims));
}

inline Verdict squeeze(InferContext& c) {
  if (!c.shape(0).known()) return Verdict::yes();
  const auto shape = squeezed(c.shape(0), squeeze_axes(c));
  if (!shape) return Verdict::no("an axis is out of range, named twice, or not of extent 1");
  c.set_shape(0, *shape);
  return Verdict::yes();
}

/// Flatten. 0 <= axis <= rank; from version 11 the axis may be negative.
inline std::optional<Shape> flattened(const Shape& from, std::int64_t axis) {
  const auto rank = static_cast<std::int64_t>(from.rank());
  if (axis < -rank || axis > rank) return std::nullopt;
  const auto split = static_cast<std::ptrdiff_t>(axis < 0 ? axis + rank : axis);
  const std::vector<Dim> dims = to_dims(from);
  const std::vector<Dim> outer(dims.begin(), dims.begin() + split), inner(dims.begin() + split, dims.end());
  return Shape(std::vector<Dim>{product(outer), product(inner)});
}

inline Verdict flatten(InferContext& c) {
  c.set_shape(0, std::vector<Dim>(2));
  if (!c.shape(0).known()) return Verdict::yes();
  const auto shape = flattened(c.shape(0), c.attr("axis", 1));
  if (!shape) return Verdict::no("axis is out of range");
  c.set_shape(0, *shape);
  return Verdict::yes();
}

/// The same elements with the given shape.
inline std::optional<Contents> moved_contents(const Contents& from, const std::optional<Shape>& shape) {
  auto dims = shape ? shape->dims() : std::nullopt;
  return dims ? std::optional(Contents{from.dtype, std::move(*dims), from.elements}) : std::nullopt;
}

inline std::optional<Contents> reshape_contents(const InferContext& c) {
  const Contents* const data = c.contents(0);
  const Contents* const target = c.contents(1);
  if (data == nullptr || target == nullptr) return std::nullopt;
  return moved_contents(*data, reshaped(Shape(data->dims), target->elements, allows_zero(c)));
}

inline std::optional<Contents> unsqueeze_contents(const InferContext& c) {
  const Contents* const data = c.contents(0);
  const auto axes = squeeze_axes(c);
  if (data == nullptr || !axes.values) return std::nullopt;
  return moved_contents(*data, unsqueezed(Shape(data->dims), *axes.values));
}

inline std::optional<Contents> squeeze_contents(const InferContext& c) {
  const Contents* const data = c.contents(0);
  if (data == nullptr) return std::nullopt;
  return moved_contents(*data, squeezed(Shape(data->dims), squeeze_axes(c)));
}

inline std::optional<Contents> flatten_contents(const InferContext& c) {
  const Contents* const data = c.contents(0);
  if (data == nullptr) return std::nullopt;
  return moved_contents(*data, flattened(Shape(data->dims), c.attr("axis", 1)));
}

}  // namespace graft::inline v1::infer
