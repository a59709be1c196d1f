#pragma once
#include <graft/qonnx/convert/detail/dequantized_integers.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/qdq/qdq.hpp>

namespace graft::inline v1::qonnx::detail {

/// One number for each index of the axis, with trailing extents of 1, so that it broadcasts to the quantized tensor.
inline Tensor along(const std::vector<float>& numbers, std::optional<std::int64_t> axis) {
  if (!axis || std::ranges::adjacent_find(numbers, std::not_equal_to()) == numbers.end())
    return Tensor::scalar(numbers.front());
  Dims dims(static_cast<std::size_t>(-*axis), 1);
  dims.front() = std::ssize(numbers);
  return Tensor::of<float>(std::move(dims), numbers);
}

GRAFT_INLINE Tensor DequantizedIntegers::scale() const { return along(scales, axis); }

GRAFT_INLINE Tensor DequantizedIntegers::zero_point() const {
  return along(std::vector<float>(zero_points.begin(), zero_points.end()), axis);
}

/// The scales and zero points of one side of a pair.
struct LinearParameters {
  std::vector<float> scales;
  std::vector<std::int64_t> zero_points;
  std::optional<std::int64_t> axis;

  bool operator==(const LinearParameters&) const = default;
};

/// Along an axis of the quantized tensor; nullopt if its rank is unknown.
inline std::optional<std::int64_t> rank_of(const Node& quantizer) {
  for (const Value* const value : {quantizer.input(0), quantizer.output(0)})
    if (value != nullptr && value->shape().known()) return static_cast<std::int64_t>(value->shape().rank());
  return std::nullopt;
}

inline std::optional<LinearParameters> linear_parameters(const Node& quantizer, std::string& why) {
  const auto no = [&](const std::string& reason) {
    why = reason;
    return std::nullopt;
  };
  const std::optional<Tensor> scale = graft::detail::constant_input(quantizer, 1),
                              zero_point = graft::detail::constant_input(quantizer, 2);
  if (quantizer.attr<std::int64_t>("block_size").value_or(0) != 0)
    return no("it has blocks of block_size, and Quant has none");
  if (!scale || (quantizer.input(2) != nullptr && !zero_point)) return no("its scale or zero point is not constant");
  if (scale->dtype() != DType::f32) return no("its scale is of dtype " + std::string(to_string(scale->dtype())));
  if (scale->rank() > 1) return no("its scale has several axes");
  LinearParameters found{scale->to<float>(), {}, {}};
  for (const float each : found.scales)
    if (!(each > 0) || !std::isfinite(each)) return no("its scale is not positive and finite");
  if (zero_point) {
    if (!is_integer(zero_point->dtype())) return no("its integers are floats");
    found.zero_points = zero_point->to<std::int64_t>();
  } else {
    found.zero_points.assign(found.scales.size(), 0);
  }
  if (found.zero_points.size() != found.scales.size() || found.scales.empty())
    return no("it does not have one zero point for each scale");
  if (found.scales.size() == 1) return found;
  std::int64_t axis = quantizer.attr<std::int64_t>("axis").value_or(1);
  if (const std::optional<std::int64_t> rank = rank_of(quantizer)) {
    if (axis >= 0) axis -= *rank;
    if (axis < -*rank || axis >= 0) return no("its axis is not an axis of its input");
  } else if (axis >= 0) {
    return no("the rank of its input is not known");
  }
  found.axis = axis;
  return found;
}

/// A bound of a Clip; nullopt if it is not constant.
inline std::optional<std::int64_t> bound(const Node& clip, std::size_t input, std::int64_t absent) {
  if (clip.input(input) == nullptr) return absent;
  const std::optional<Tensor> tensor = clip.input(input)->constant();
  if (!tensor || tensor->size() != 1) return std::nullopt;
  return tensor->item<std::int64_t>();
}

inline bool apply_clips(const std::vector<const Node*>& clips, DequantizedIntegers& found, std::string& why) {
  std::vector<std::int64_t> integers;
  if (found.constant) integers = found.constant->to<std::int64_t>();
  for (auto clip = clips.rbegin(); clip != clips.rend(); ++clip) {
    const std::optional<std::int64_t> low = bound(**clip, 1, lowest(found.dtype)),
                                      high = bound(**clip, 2, highest(found.dtype));
    if (!low || !high) why = "a bound of " + display_name(**clip) + " is not constant";
    else if (*low > *high) why = "the bounds of " + display_name(**clip) + " leave nothing between them";
    if (!why.empty()) return false;
    found.lowest = std::clamp(found.lowest, *low, *high);
    found.highest = std::clamp(found.highest, *low, *high);
    for (std::int64_t& each : integers) each = std::clamp(each, *low, *high);
  }
  if (found.constant && !clips.empty())
    found.constant = Tensor::of<std::int64_t>(found.dtype, found.constant->dims(), integers);
  return true;
}

GRAFT_INLINE std::optional<DequantizedIntegers> dequantized_integers(const Node& dequantize, std::string& why) {
  const auto no = [&](const std::string& reason) {
    why = reason;
    return std::nullopt;
  };
  std::optional<LinearParameters> parameters = linear_parameters(dequantize, why);
  if (!parameters) return std::nullopt;
  std::vector<const Node*> clips;
  const Value* value = dequantize.input(0);
  if (value == nullptr) return no("an input is absent");
  for (const Node* clip = value->producer(); clip != nullptr && clip->is("Clip") && clip->opset() >= 11;
       clip = value->producer()) {
    clips.push_back(clip);
    value = clip->input(0);
    if (value == nullptr) return no("an input is absent");
  }
  DequantizedIntegers found;
  std::size_t limit = 32;
  found.constant = value->constant();
  if (found.constant) {
    found.dtype = found.constant->dtype();
  } else {
    const Node* const quantize = value->producer();
    if (quantize == nullptr || !is_quantize(*quantize)) return no("no QuantizeLinear makes its integers");
    const std::optional<LinearParameters> of_quantize = linear_parameters(*quantize, why);
    if (!of_quantize) {
      why = display_name(*quantize) + ": " + why;
      return std::nullopt;
    }
    if (*of_quantize != *parameters) return no("its scales or zero points are not those of " + display_name(*quantize));
    if (quantize->attr<std::int64_t>("precision").value_or(0) > 1)
      return no(display_name(*quantize) + " divides in another dtype than float32");
    found.x = quantize->input(0);
    if (found.x == nullptr) return no("an input is absent");
    if (found.x->dtype() != DType::f32 && found.x->dtype() != DType::undefined)
      return no("the quantized tensor is of dtype " + std::string(to_string(found.x->dtype())));
    found.dtype = quantized_dtype(*quantize);
    limit = 16;
  }
  if (!is_integer(found.dtype) || bits(found.dtype) > limit)
    return no("its integers are of dtype " + std::string(to_string(found.dtype)));
  if (const DType result = dequantize.output(0)->dtype(); result != DType::f32 && result != DType::undefined)
    return no("it makes " + std::string(to_string(result)));
  found.lowest = lowest(found.dtype);
  found.highest = highest(found.dtype);
  if (!apply_clips(clips, found, why)) return std::nullopt;
  found.scales = std::move(parameters->scales);
  found.zero_points = std::move(parameters->zero_points);
  found.axis = parameters->axis;
  return found;
}

}  // namespace graft::inline v1::qonnx::detail
