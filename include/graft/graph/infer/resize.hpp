#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/infer/context.hpp>
#include <graft/graph/infer/dim.hpp>

namespace graft::inline v1::infer {

/// floor(extent * scale), in float as the runtimes do.
inline Dim scaled(const Dim& extent, float scale) {
  if (scale == 1) return extent;
  if (!extent.known() || !(scale > 0)) return {};
  const float result = std::floor(static_cast<float>(extent.value()) * scale);
  return result < 9e18f ? Dim(static_cast<std::int64_t>(result)) : Dim();
}

/// The scales in an input or, for Upsample-7, in an attribute.
inline std::optional<Floats> constant_floats(const InferContext& c, std::size_t input) {
  const auto tensor = c.constant(input);
  return tensor ? std::optional(tensor->to<float>()) : std::nullopt;
}

inline Verdict scale_axes(InferContext& c, const std::vector<std::size_t>& axes, const Floats& scales) {
  if (scales.size() != axes.size()) return Verdict::no("scales must have one element for each axis");
  std::vector<Dim> out = to_dims(c.shape(0));
  for (std::size_t i = 0; i < axes.size(); ++i) out[axes[i]] = scaled(out[axes[i]], scales[i]);
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

inline std::vector<std::size_t> all_axes(std::size_t rank) {
  std::vector<std::size_t> axes(rank);
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  return axes;
}

/// Upsample. The scales are attributes for height and width (1), one attribute (7), or input 1 (9).
inline Verdict upsample(InferContext& c) {
  const Shape x = c.shape(0);
  if (!x.known()) return Verdict::yes();
  c.set_shape(0, std::vector<Dim>(x.rank()));
  std::optional<Floats> scales;
  if (c.opset() >= 9) {
    scales = constant_floats(c, 1);
  } else if (c.opset() >= 7) {
    scales = c.attr<Floats>("scales");
  } else {
    scales = Floats{1, 1, c.attr<float>("height_scale").value_or(0), c.attr<float>("width_scale").value_or(0)};
  }
  return scales ? scale_axes(c, all_axes(x.rank()), *scales) : Verdict::yes();
}

/// Resizes the axes to `sizes`. With a policy that keeps the aspect ratio, `sizes` are bounds.
inline Verdict resize_to(InferContext& c, const std::vector<std::size_t>& axes, const Contents& sizes) {
  if (sizes.elements.size() != axes.size()) return Verdict::no("sizes must have one element for each axis");
  std::vector<Dim> out = to_dims(c.shape(0));
  const std::string_view policy = c.attr<std::string_view>("keep_aspect_ratio_policy").value_or("stretch");
  if (policy == "stretch") {
    for (std::size_t i = 0; i < axes.size(); ++i) out[axes[i]] = sizes.elements[i].dim();
    c.set_shape(0, std::move(out));
    return Verdict::yes();
  }
  const bool not_larger = policy == "not_larger";
  std::optional<float> scale;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Dim& from = out[axes[i]];
    if (!from.known() || from.value() == 0 || !sizes.elements[i].known()) return Verdict::yes();
    const float ratio = static_cast<float>(sizes.elements[i].value()) / static_cast<float>(from.value());
    scale = !scale ? ratio : not_larger ? std::min(*scale, ratio) : std::max(*scale, ratio);
  }
  for (const std::size_t axis : axes) out[axis] = Dim(std::llround(*scale * static_cast<float>(out[axis].value())));
  c.set_shape(0, std::move(out));
  return Verdict::yes();
}

/// Resize. Inputs: X, scales (10); X, roi, scales, sizes (11), for the given axes (18).
inline Verdict resize(InferContext& c) {
  const Shape x = c.shape(0);
  if (!x.known()) return Verdict::yes();
  std::vector<std::size_t> axes = all_axes(x.rank());
  if (const auto given = c.attr<Ints>("axes"); given && !given->empty()) {
    auto places = normalized(*given, x.rank());
    if (!places) return Verdict::no("an axis is out of range or named twice");
    axes = std::move(*places);
  }
  std::vector<Dim> out = to_dims(x);
  for (const std::size_t axis : axes) out[axis] = Dim();
  c.set_shape(0, std::move(out));
  const Contents* const sizes = c.contents(3);
  if (sizes != nullptr && !sizes->elements.empty()) return resize_to(c, axes, *sizes);
  const auto scales = constant_floats(c, c.opset() < 11 ? 1 : 2);
  if (!scales || scales->empty()) return Verdict::yes();
  const bool crops = c.attr<std::string_view>("coordinate_transformation_mode").value_or("") == "tf_crop_and_resize";
  return crops ? Verdict::yes() : scale_axes(c, axes, *scales);
}

}  // namespace graft::inline v1::infer
