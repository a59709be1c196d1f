#pragma once
#include <graft/qonnx/convert/detail/linear_form.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/shortest_decimal.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/qonnx/convert/capabilities.hpp>
#include <graft/qonnx/convert/detail/along_axis.hpp>
#include <graft/qonnx/convert/detail/check_quantizer.hpp>
#include <graft/qonnx/convert/detail/quantize_constant.hpp>
#include <graft/qonnx/ops/formats.hpp>
#include <graft/qonnx/ops/rounding_mode.hpp>

namespace graft::inline v1::qonnx::detail {

/// An interval of integers, which may exceed every dtype.
struct IntegerSpan {
  double lowest, highest;

  LinearForm::Bounds bounds() const { return {static_cast<std::int64_t>(lowest), static_cast<std::int64_t>(highest)}; }
  bool holds(DType dtype) const {
    return lowest == static_cast<double>(graft::lowest(dtype)) && highest == static_cast<double>(graft::highest(dtype));
  }
  bool is_within(DType dtype) const {
    return lowest >= static_cast<double>(graft::lowest(dtype)) && highest <= static_cast<double>(graft::highest(dtype));
  }
};

inline IntegerSpan span_of(std::span<const float> values) {
  const auto [lowest, highest] = std::ranges::minmax(values);
  return {lowest, highest};
}

/// The integers to which a Quant of this bit width rounds, for rounding to the nearest.
inline IntegerSpan integers_of(float bits, const Quantizer& quantizer) {
  if (is_bipolar(bits, quantizer.is_signed)) return {-1, 1};
  const IntegerRange range = integer_range(bits, quantizer.is_signed, quantizer.is_narrow);
  return {graft::detail::round_half_even(range.min), graft::detail::round_half_even(range.max)};
}

inline std::string opset_needed(std::string_view what, int needed, int opset) {
  return std::string(what) + " needs opset " + std::to_string(needed) + ", the model imports " + std::to_string(opset);
}

/// The interval of one channel, or the common one.
inline std::string width_text(float bits) { return shortest_decimal(bits) + " bits"; }

inline bool has_axis_support(const AlongAxis& along, const LinearTarget& target, std::string& why) {
  if (target.opset < 10) why = opset_needed("DequantizeLinear", 10, target.opset);
  if (along.axis && target.opset < 13) why = opset_needed("a scale for each channel", 13, target.opset);
  return why.empty();
}

inline bool zero_points_are_taken(std::span<const float> zero_points, const LinearTarget& target, std::string& why) {
  for (const float zero_point : zero_points)
    if (why.empty()) why = why_not_taken(zero_point, target.options.zero_points);
  return why.empty();
}

inline std::vector<DType> narrow_types(bool is_signed, const LinearTarget& target) {
  std::vector<DType> types;
  if (!target.options.narrow_types) return types;
  if (target.opset >= 25) types.push_back(is_signed ? DType::i2 : DType::u2);
  if (target.opset >= 21) types.push_back(is_signed ? DType::i4 : DType::u4);
  return types;
}

/// The dtype between a QuantizeLinear and a DequantizeLinear, with or without a Clip.
inline std::optional<DType> dtype_between(const IntegerSpan& integers, float bits, const IntegerSpan& zero_points,
                                          bool is_signed, const LinearTarget& target, std::string& why) {
  for (const DType dtype : narrow_types(is_signed, target))
    if (integers.holds(dtype) && zero_points.is_within(dtype)) return dtype;
  const DType byte = is_signed ? DType::i8 : DType::u8, word = is_signed ? DType::i16 : DType::u16;
  for (const DType dtype : {byte, word}) {
    if (!integers.is_within(dtype) || !zero_points.is_within(dtype)) continue;
    if (dtype == byte || target.opset >= 21) return dtype;
    why = opset_needed(integers.is_within(byte) ? "its zero point" : width_text(bits), 21, target.opset);
    return std::nullopt;
  }
  why = integers.is_within(word)
            ? "its zero point does not fit in " + std::string(to_string(word))
            : lack(target.format, Capability::arbitrary_precision) + ": " + width_text(bits) + " are more than 16";
  return std::nullopt;
}

GRAFT_INLINE std::optional<LinearForm> linear_form(const Quantizer& quantizer, const Shape& x,
                                                   const LinearTarget& target, std::string& why) {
  if (quantizer.bits.size() == 0 || !is_uniform(quantizer.bits)) {
    why = lack(target.format, Capability::channel_wise_bit_width);
    return std::nullopt;
  }
  const float bits = quantizer.bits.data<float>().front();
  if (is_bipolar(bits, quantizer.is_signed)) {
    why = "1 signed bit is -1 or 1, and no QuantizeLinear rounds to these two";
    return std::nullopt;
  }
  if (quantizer.rounding != RoundingMode::half_even) {
    why = lack(target.format, Capability::rounding_variants) + ": it rounds by " +
          std::string(to_string(quantizer.rounding));
    return std::nullopt;
  }
  const IntegerSpan integers = integers_of(bits, quantizer);
  const std::optional<AlongAxis> along = along_axis(quantizer, x, why);
  if (!along || !has_axis_support(*along, target, why) || !zero_points_are_taken(along->zero_points, target, why))
    return std::nullopt;
  const IntegerSpan zero_points = span_of(along->zero_points);
  const std::optional<DType> dtype = dtype_between(integers, bits, zero_points, quantizer.is_signed, target, why);
  if (!dtype) return std::nullopt;
  LinearForm form{*dtype,
                  Tensor::of<float>(along->dims(), along->scales),
                  Tensor::of<float>(*dtype, along->dims(), along->zero_points),
                  along->axis,
                  {},
                  {},
                  zero_points.lowest == 0 && zero_points.highest == 0};
  if (integers.holds(*dtype)) return form;
  form.clip = integers.bounds();
  const std::string range = std::to_string(form.clip->lowest) + " to " + std::to_string(form.clip->highest);
  if (target.format == Format::qdq) {
    why = (bits < 8 ? lack(target.format, Capability::below_8_bits) : "QDQ has no Clip") + ": " + range +
          " is not the range of " + std::string(to_string(*dtype)) + ", and takes a Clip";
    return std::nullopt;
  }
  if (target.opset < 12) {
    why = opset_needed("a Clip of integers to " + range, 12, target.opset);
    return std::nullopt;
  }
  return form;
}

/// The dtype of a constant; nullopt: 32 bits without a zero point.
inline std::optional<DType> dtype_of_constant(const IntegerSpan& integers, const IntegerSpan& zero_points,
                                              bool is_signed, std::size_t rank, const LinearTarget& target) {
  std::vector<DType> types = narrow_types(is_signed, target);
  types.push_back(is_signed ? DType::i8 : DType::u8);
  if (rank >= 2 && target.opset >= 21) types.push_back(is_signed ? DType::i16 : DType::u16);
  for (const DType dtype : types)
    if (integers.is_within(dtype) && zero_points.is_within(dtype)) return dtype;
  return std::nullopt;
}

GRAFT_INLINE std::optional<LinearForm> linear_form_of_constant(Quantizer quantizer, bool is_bipolar, const Tensor& x,
                                                               const LinearTarget& target, std::string& why) {
  if (is_bipolar) {
    quantizer.zero_point = Tensor::scalar(0.0F);
    quantizer.bits = Tensor::scalar(1.0F);
    quantizer.is_signed = true;
  }
  const std::optional<AlongAxis> along = along_axis(quantizer, Shape(std::span(x.dims())), why);
  if (!along || !has_axis_support(*along, target, why)) return std::nullopt;
  if (is_bipolar)
    quantizer.scale = Tensor::scalar(1.0F);  // no division, so that values that would underflow keep their sign
  const QuantizedValues quantized = quantize_constant(x, quantizer);
  const std::span<const float> integers = quantized.integers.data<float>();
  if (std::ranges::any_of(integers, [](float value) { return !std::isfinite(value); })) {
    why = "an element of it is not finite";
    return std::nullopt;
  }
  IntegerSpan range{0, 0};
  const auto widen = [&range](const IntegerSpan& by) {
    range = {std::min(range.lowest, by.lowest), std::max(range.highest, by.highest)};
  };
  for (const float bits : quantizer.bits.data<float>()) widen(integers_of(bits, quantizer));
  const IntegerSpan declared = range;
  if (!integers.empty()) widen(span_of(integers));
  // Other rounding modes may exceed `declared` if the bounds are not integers.
  const bool holds_all = declared.lowest <= range.lowest && range.highest <= declared.highest;
  const IntegerSpan zero_points = span_of(along->zero_points);
  const std::optional<DType> dtype = dtype_of_constant(range, zero_points, quantizer.is_signed, x.rank(), target);
  LinearForm form{
      dtype.value_or(DType::i32), Tensor::of<float>(along->dims(), along->scales), {}, along->axis, {}, {}, true};
  if (dtype) {
    form.zero_point = Tensor::of<float>(*dtype, along->dims(), along->zero_points);
    form.integers = Tensor::of<float>(*dtype, x.dims(), integers);
    const bool is_byte = *dtype == DType::i8 || *dtype == DType::u8;
    const bool clips = target.options.clip_constants && target.format == Format::qcdq && target.opset >= 12;
    if (clips && is_byte && holds_all && !declared.holds(*dtype) && is_uniform(quantizer.bits) &&
        declared.is_within(*dtype))
      form.clip = declared.bounds();
    return form;
  }
  const std::span<const float> steps = quantized.steps.data<float>();
  if (!steps.empty() && !span_of(steps).is_within(DType::i32)) {
    why = lack(target.format, Capability::arbitrary_precision) + ": its integers do not fit in 32 bits";
    return std::nullopt;
  }
  form.integers = Tensor::of<float>(DType::i32, x.dims(), steps);
  return form;
}

}  // namespace graft::inline v1::qonnx::detail
