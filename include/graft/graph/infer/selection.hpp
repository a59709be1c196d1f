#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/dim.hpp>

/// Operators that return some elements of their input, or their positions.
namespace graft::inline v1::infer {

/// TopK. k is an attribute before version 10, an input since. Outputs: values and indices.
inline Verdict top_k(InferContext& c) {
  const Shape x = c.shape(0);
  if (!x.known()) return Verdict::yes();
  const auto axis = normalized(c.attr("axis", -1), x.rank());
  if (!axis) return Verdict::no("axis is out of range");
  std::vector<Dim> out = to_dims(x);
  if (c.opset() < 10) {
    out[*axis] = Dim(c.attr("k", -1));
  } else {
    const Contents* const k = c.contents(1);
    out[*axis] = k != nullptr && k->elements.size() == 1 ? k->elements[0].dim() : Dim();
  }
  const Shape shape(std::move(out));
  c.set_shape(0, shape);
  c.set_shape(1, shape);
  return Verdict::yes();
}

/// Compress. Selects one element for each 1 in the condition, along the axis or of the flattened input.
inline Verdict compress(InferContext& c) {
  const auto axis_attribute = c.attr<std::int64_t>("axis");
  const auto condition = c.ints(1);
  Dim count;
  if (condition) {
    std::int64_t ones = 0;
    for (const std::int64_t bit : *condition) ones += bit != 0;
    count = Dim(ones);
  }
  if (!axis_attribute) {
    c.set_shape(0, {count});
    return Verdict::yes();
  }
  const Shape x = c.shape(0);
  if (!x.known()) return Verdict::yes();
  const auto axis = normalized(*axis_attribute, x.rank());
  if (!axis) return Verdict::no("axis is out of range");
  std::vector<Dim> out = to_dims(x);
  out[*axis] = count;
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

/// NonZero: [rank, count]. The count depends on the data.
inline Verdict non_zero(InferContext& c) {
  const Shape x = c.shape(0);
  c.depend_on_data();
  c.set_shape(0, {x.known() ? Dim(static_cast<std::int64_t>(x.rank())) : Dim(), Dim()});
  return Verdict::yes();
}

/// Unique. Works along an axis or on the flattened input. The number of results depends on the data.
inline Verdict unique(InferContext& c) {
  const Shape x = c.shape(0);
  const auto axis_attribute = c.attr<std::int64_t>("axis");
  c.depend_on_data();
  Dim whole;
  if (!axis_attribute) {
    c.set_shape(0, std::vector<Dim>(1));
    if (x.known()) whole = product(to_dims(x));
  } else if (x.known()) {
    const auto axis = normalized(*axis_attribute, x.rank());
    if (!axis) return Verdict::no("axis is out of range");
    std::vector<Dim> out = to_dims(x);
    whole = std::exchange(out[*axis], Dim());
    c.set_shape(0, std::move(out));
  }
  c.set_shape(1, std::vector<Dim>(1));
  c.set_shape(2, {whole});
  c.set_shape(3, std::vector<Dim>(1));
  return Verdict::yes();
}

/// NonMaxSuppression: [count, 3].
inline Verdict non_max_suppression(InferContext& c) {
  c.depend_on_data();
  c.set_shape(0, {Dim(), Dim(3)});
  return Verdict::yes();
}

}  // namespace graft::inline v1::infer
