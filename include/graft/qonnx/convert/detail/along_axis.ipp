#pragma once
#include <graft/qonnx/convert/detail/along_axis.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include <graft/config.hpp>
#include <graft/graph/dims.hpp>

namespace graft::inline v1::qonnx::detail {

GRAFT_INLINE bool is_uniform(const Tensor& tensor) {
  const std::span<const float> values = tensor.data<float>();
  return std::ranges::adjacent_find(values, std::not_equal_to()) == values.end();
}

/// The axis of x along which a parameter varies; none if it is one number. Returns false, and the reason, if there is
/// no such axis.
inline bool find_axis(const Tensor& parameter, std::string_view what, const Shape& x, std::optional<std::size_t>& axis,
                      std::string& why) {
  const auto no = [&](const std::string& reason) {
    why = "its " + std::string(what) + " of shape " + graft::to_string(parameter.dims()) + " " + reason;
    return false;
  };
  if (parameter.size() == 0) return no("is empty");
  if (is_uniform(parameter)) return true;
  if (!x.known() || parameter.rank() > x.rank())
    return no("may be of one axis or another: the rank of its input is not known");
  std::size_t varying = 0;
  for (std::size_t i = 0; i < parameter.rank(); ++i) {
    if (parameter.dims()[i] == 1) continue;
    ++varying;
    axis = x.rank() - parameter.rank() + i;
  }
  return varying == 1 || no("varies along several axes");
}

inline std::vector<float> spread(const Tensor& parameter, std::size_t count) {
  const std::span<const float> values = parameter.data<float>();
  if (values.size() == count) return {values.begin(), values.end()};
  return std::vector<float>(count, values.front());  // one number, or several equal ones along other axes
}

GRAFT_INLINE std::optional<AlongAxis> along_axis(const Quantizer& quantizer, const Shape& x, std::string& why) {
  std::optional<std::size_t> axis, axis_of_zero_point;
  if (!find_axis(quantizer.scale, "scale", x, axis, why) ||
      !find_axis(quantizer.zero_point, "zero point", x, axis_of_zero_point, why))
    return std::nullopt;
  const Tensor* longest = axis ? &quantizer.scale : nullptr;
  if (axis && axis_of_zero_point && axis != axis_of_zero_point) {
    why = "its scale and its zero point vary along different axes";
    return std::nullopt;
  }
  if (!axis && axis_of_zero_point) {
    axis = axis_of_zero_point;
    longest = &quantizer.zero_point;
  }
  const std::size_t count = longest != nullptr ? static_cast<std::size_t>(longest->size()) : 1;
  AlongAxis found{axis, spread(quantizer.scale, count), spread(quantizer.zero_point, count)};
  for (const float zero_point : found.zero_points) {
    if (std::isfinite(zero_point) && zero_point == std::floor(zero_point)) continue;
    why = "its zero point is not an integer";
    return std::nullopt;
  }
  return found;
}

}  // namespace graft::inline v1::qonnx::detail
