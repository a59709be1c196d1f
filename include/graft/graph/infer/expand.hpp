#pragma once
#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/infer/elementwise_contents.hpp>

namespace graft::inline v1::infer {

/// Expand. Broadcasts the input to the shape in input 1.
inline Verdict expand(InferContext& c) {
  const Contents* const target = c.contents(1);
  if (target == nullptr) return Verdict::yes();
  std::vector<Dim> dims;
  for (const Integer& dim : target->elements) dims.push_back(dim.dim());
  const auto shape = broadcast(c.shape(0), Shape(std::move(dims)));
  if (!shape) return Verdict::no("the input does not expand to the shape");
  c.set_shape(0, *shape);
  return Verdict::yes();
}

inline std::optional<Contents> expand_contents(const InferContext& c) {
  const Contents* const data = c.contents(0);
  auto target = c.ints(1);
  if (data == nullptr || !target) return std::nullopt;
  auto dims = broadcast_dims(std::array<const Dims*, 2>{&data->dims, &*target});
  if (!dims) return std::nullopt;
  Contents result{data->dtype, std::move(*dims), {}};
  const auto count = static_cast<std::size_t>(element_count(result.dims));
  for (std::size_t i = 0; i < count; ++i) {
    result.elements.push_back(data->elements[broadcast_place(i, result.dims, data->dims)]);
  }
  return result;
}

/// Tile. From version 6 each extent is multiplied by its repeat; version 1 tiles one axis.
inline Verdict tile(InferContext& c) {
  const Shape x = c.shape(0);
  if (c.opset() < 6) {
    if (x.known()) c.set_shape(0, std::vector<Dim>(x.rank()));
    return Verdict::yes();
  }
  const Contents* const repeats = c.contents(1);
  if (!x.known()) {
    if (repeats != nullptr) c.set_shape(0, std::vector<Dim>(repeats->elements.size()));
    return Verdict::yes();
  }
  std::vector<Dim> out(x.rank());
  if (repeats != nullptr) {
    if (repeats->elements.size() != x.rank()) return Verdict::no("repeats must have one element for each axis");
    for (const Integer& repeat : repeats->elements)
      if (repeat.known() && repeat.value() < 0) return Verdict::no("a repeat is negative");
    for (std::size_t axis = 0; axis < out.size(); ++axis) out[axis] = multiply(x[axis], repeats->elements[axis].dim());
  }
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

/// Pad. The pads are attribute `paddings` (1), `pads` (2) or input 1 (11), for the axes in input 3 (18). Negative pads
/// crop.
inline Verdict pad(InferContext& c) {
  const Shape x = c.shape(0);
  if (!x.known()) return Verdict::yes();
  std::vector<Dim> out(x.rank());
  c.set_shape(0, out);
  const auto pads = c.parameter(c.opset() < 2 ? "paddings" : "pads", 1);
  if (!pads.values) return Verdict::yes();
  Ints all_axes(x.rank());
  std::iota(all_axes.begin(), all_axes.end(), 0);
  const auto given = c.has(3) ? c.ints(3) : std::optional(all_axes);
  if (!given) return Verdict::yes();
  const auto axes = normalized(*given, x.rank());
  if (!axes || pads.values->size() != 2 * axes->size()) return Verdict::no("pads must have two elements for each axis");
  out = to_dims(x);
  for (std::size_t i = 0; i < axes->size(); ++i) {
    const Integer total = add(Integer((*pads.values)[i]), Integer((*pads.values)[i + axes->size()]));
    out[(*axes)[i]] = add(Integer(x[(*axes)[i]]), total).dim();
  }
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

/// CenterCropPad. Sets the extents of the axes to those in input 1.
inline Verdict center_crop_pad(InferContext& c) {
  const Shape x = c.shape(0);
  if (!x.known()) return Verdict::yes();
  const Contents* const target = c.contents(1);
  Ints all_axes(x.rank());
  std::iota(all_axes.begin(), all_axes.end(), 0);
  const auto axes = normalized(c.attr<Ints>("axes").value_or(all_axes), x.rank());
  if (!axes) return Verdict::no("an axis is out of range or named twice");
  if (target != nullptr && target->elements.size() != axes->size()) {
    return Verdict::no("shape must have one element for each axis");
  }
  std::vector<Dim> out = to_dims(x);
  for (std::size_t i = 0; i < axes->size(); ++i) {
    out[(*axes)[i]] = target == nullptr ? Dim() : target->elements[i].dim();
  }
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

}  // namespace graft::inline v1::infer
