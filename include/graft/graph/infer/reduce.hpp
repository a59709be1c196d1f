#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/infer/integer_math.hpp>

namespace graft::inline v1::infer {

/// The shape after a reduction of the marked axes: they become 1 if kept, else they are removed.
inline Shape reduced(const Shape& from, const std::vector<bool>& marked, bool keep) {
  std::vector<Dim> dims;
  for (std::size_t axis = 0; axis < from.rank(); ++axis) {
    if (!marked[axis]) dims.push_back(from[axis]);
    if (marked[axis] && keep) dims.push_back(Dim(1));
  }
  return Shape(std::move(dims));
}

/// Reduces these axes. Without axes it reduces all, or none with noop_with_empty_axes.
inline Verdict reduce_axes(InferContext& c, const InferContext::Parameter& axes) {
  const Shape x = c.shape(0);
  if (!x.known()) return Verdict::yes();
  const bool keep = c.attr("keepdims", 1) != 0;
  if (axes.given && !axes.values) {
    if (keep) {
      c.set_shape(0, std::vector<Dim>(x.rank()));
    } else if (axes.count.value_or(0) > 0 && *axes.count <= x.rank()) {
      c.set_shape(0, std::vector<Dim>(x.rank() - *axes.count));
    }
    return Verdict::yes();
  }
  std::vector<bool> marked(x.rank());
  if (!axes.values || axes.values->empty()) {
    if (c.attr("noop_with_empty_axes", 0) == 0) std::fill(marked.begin(), marked.end(), true);
  } else {
    for (const std::int64_t axis : *axes.values) {
      const auto place = normalized(axis, x.rank());
      if (!place) return Verdict::no("an axis is out of range");
      marked[*place] = true;
    }
  }
  c.set_shape(0, reduced(x, marked, keep));
  return Verdict::yes();
}

/// ReduceSum, ReduceMean, ReduceMax ... The axes are an attribute; an input from version 13 (ReduceSum) or 18 (others).
inline Verdict reduce(InferContext& c) { return reduce_axes(c, c.parameter("axes", 1)); }

/// The contents of ReduceProd, ReduceSum, ReduceMax or ReduceMin of a list, folded with f.
template <Integer (*f)(const Integer&, const Integer&)>
std::optional<Contents> reduced_contents(const InferContext& c) {
  const Contents* const data = c.contents(0);
  if (data == nullptr || data->dims.size() != 1 || data->elements.empty()) return std::nullopt;
  const auto axes = c.parameter("axes", 1);
  if (axes.given && !axes.values) return std::nullopt;
  if (!axes.values || axes.values->empty()) {
    if (c.attr("noop_with_empty_axes", 0) != 0) return *data;
  }
  Integer result = data->elements.front();
  for (std::size_t i = 1; i < data->elements.size(); ++i) result = f(result, data->elements[i]);
  result = cast(result, data->dtype);
  if (c.attr("keepdims", 1) == 0) return Contents::scalar(result, data->dtype);
  return Contents::list({result}, data->dtype);
}

/// ArgMax, ArgMin.
inline Verdict arg_extreme(InferContext& c) {
  const Shape x = c.shape(0);
  if (!x.known()) return Verdict::yes();
  const auto axis = normalized(c.attr("axis", 0), x.rank());
  if (!axis) return Verdict::no("axis is out of range");
  std::vector<bool> marked(x.rank());
  marked[*axis] = true;
  c.set_shape(0, reduced(x, marked, c.attr("keepdims", 1) != 0));
  return Verdict::yes();
}

}  // namespace graft::inline v1::infer
