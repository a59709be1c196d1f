#pragma once
#include <graft/qonnx/convert/quant_to_multi_threshold.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qonnx/convert/detail/check_quantizer.hpp>
#include <graft/qonnx/convert/detail/clamp.hpp>
#include <graft/qonnx/convert/detail/dequantized_integers.hpp>
#include <graft/qonnx/convert/detail/node_conversions.hpp>
#include <graft/qonnx/convert/detail/quant_steps.hpp>
#include <graft/qonnx/convert/detail/threshold_output.hpp>
#include <graft/qonnx/ops/formats.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/qonnx/ops/quantizer.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

/// The steps of each channel, or of all.
struct ChannelSteps {
  std::vector<QuantSteps> channels;
  std::string_view layout{};  ///< the data_layout; empty: unknown

  /// Whether all channels have the same lowest and highest integer.
  bool are_alike() const {
    return std::ranges::all_of(channels, [&](const QuantSteps& each) {
      return each.lowest() == channels[0].lowest() && each.highest() == channels[0].highest();
    });
  }
};

/// Fills in the scales and the layout.
inline Verdict read_scales(const Tensor& scale, const Value& x, QuantSteps all, ChannelSteps& steps) {
  if (scale.size() == 0) return Verdict::no("its scale is empty");
  for (const float each : scale.data<float>()) {
    all.scale = each;
    steps.channels.push_back(all);
  }
  const Shape shape = x.shape();
  if (shape.known() && shape.rank() < 2) return Verdict::no("x has no channels, which MultiThreshold counts along");
  if (scale.size() == 1) {
    if (shape.known() && scale.rank() > shape.rank()) return Verdict::no("its scale has more dims than x");
    if (shape.known()) steps.layout = layout_of(shape.rank(), 1);
    return Verdict::yes();
  }
  if (!shape.known()) return Verdict::no("it has several scales, and the rank of x is not known");
  const std::optional<std::size_t> axis = only_axis(scale.dims(), shape.rank());
  if (!axis || (*axis != 1 && *axis + 1 != shape.rank())) return Verdict::no("its scales are not those of channels");
  steps.layout = layout_of(shape.rank(), *axis);
  return steps.layout.empty() ? Verdict::no("there is no data_layout of its rank") : Verdict::yes();
}

inline Verdict read_steps(const Node& quant, const Value& x, ChannelSteps& steps) {
  QuantSteps all;
  if (is_bipolar_quant(quant)) {
    const Value* const input = quant.input(1);
    const std::optional<Tensor> scale = input != nullptr ? input->constant() : std::nullopt;
    if (!scale || scale->dtype() != DType::f32) return Verdict::no("its scale is not a constant of float32");
    all.is_bipolar = true;
    all.divides = false;
    return read_scales(*scale, x, all, steps);
  }
  const std::optional<Quantizer> q = quantizer_of(quant);
  if (!q) return Verdict::no("its parameters are not constants of float32");
  const auto one_number = [](const Tensor& tensor) {
    const std::vector<float> all_of_it = tensor.to<float>();
    return !all_of_it.empty() && std::ranges::all_of(all_of_it, [&](float each) { return each == all_of_it[0]; });
  };
  if (!one_number(q->bits)) return Verdict::no("its channels have bit widths of their own");
  if (!one_number(q->zero_point)) return Verdict::no("its channels have zero points of their own");
  const float bits = q->bits.to<float>()[0];
  if (!(bits >= 1 && bits <= 16)) return Verdict::no("its bit width is not 1 to 16");
  all.zero_point = q->zero_point.to<float>()[0];
  if (!std::isfinite(all.zero_point)) return Verdict::no("its zero point is not finite");
  all.range = integer_range(bits, q->is_signed, q->is_narrow);
  all.rounding = q->rounding;
  all.is_bipolar = is_bipolar(bits, q->is_signed);
  return read_scales(q->scale, x, all, steps);
}

inline Tensor threshold_tensor(const ChannelSteps& steps) {
  std::vector<float> all;
  for (const QuantSteps& channel : steps.channels) {
    const std::vector<float> thresholds = channel.thresholds();
    all.insert(all.end(), thresholds.begin(), thresholds.end());
  }
  const auto channels = static_cast<std::int64_t>(steps.channels.size());
  return Tensor::of<float>({channels, static_cast<std::int64_t>(all.size()) / channels}, all);
}

/// x, the MultiThreshold's input and output, and the factor behind it.
struct Stepped {
  Value* x = nullptr;
  ChannelSteps steps;
  Tensor scale;
};

inline Verdict read_quantizer(const Node& quant, Stepped& stepped) {
  stepped.x = quant.input(0);
  if (stepped.x == nullptr || stepped.x->is_constant()) return Verdict::no("its input is constant");
  if (std::string why; !check_float_quantizer(quant, why)) throw Error(why);
  if (Verdict read = read_steps(quant, *stepped.x, stepped.steps); !read) return read;
  stepped.scale = quant.input(1)->constant().value();
  return Verdict::yes();
}

/// QuantizeLinear adds the zero point to integers, so the steps are those without a zero point, with shifted bounds.
inline Verdict read_pair(const Node& dequantize, Stepped& stepped) {
  std::string why;
  const std::optional<DequantizedIntegers> from = dequantized_integers(dequantize, why);
  if (!from) throw Error(why);
  if (from->constant) return not_concerned();
  stepped.x = from->x;
  stepped.scale = from->scale();
  const auto other = [&](std::int64_t each) { return each != from->zero_points[0]; };
  if (std::ranges::any_of(from->zero_points, other)) return Verdict::no("its channels have zero points of their own");
  QuantSteps all;
  all.range = {static_cast<float>(from->lowest - from->zero_points[0]),
               static_cast<float>(from->highest - from->zero_points[0])};
  return read_scales(stepped.scale, *stepped.x, all, stepped.steps);
}

inline Verdict to_multi_threshold(Node& node, Rewriter& rewriter) {
  Stepped stepped;
  if (Verdict read = is_dequantize(node) ? read_pair(node, stepped) : read_quantizer(node, stepped); !read) return read;
  Value* x = stepped.x;
  ChannelSteps& steps = stepped.steps;
  const ClampedValue clamped = clamped_before(*x);
  ChannelSteps behind_clamp = steps;
  for (QuantSteps& channel : behind_clamp.channels) channel.clamp = clamped.clamp;
  if (behind_clamp.are_alike()) {
    steps = behind_clamp;
    x = clamped.value;
  }
  const QuantSteps& first = steps.channels[0];
  if (!steps.are_alike() || first.lowest() == first.highest())
    return Verdict::no("its output is the same number for every input");

  const ThresholdOutput output{first.step(), first.lowest() - first.zero_point};
  const auto count = static_cast<std::int64_t>((first.highest() - first.lowest()) / first.step());
  for (std::int64_t i = 0; i <= count; ++i)
    if (output.at(i) != first.lowest() + static_cast<float>(i) * first.step() - first.zero_point)
      return Verdict::no("float32 does not hold its integers less its zero point");
  Value& thresholds = rewriter.constant(threshold_tensor(steps), std::string(x->name()) + "_thresholds");
  Attributes attributes{{"out_scale", output.scale}, {"out_bias", output.bias}, {"out_dtype", output.data_type(count)}};
  if (!steps.layout.empty()) attributes.emplace_back("data_layout", steps.layout);
  Value* const inputs[] = {x, &thresholds};
  Value* y = rewriter.node(std::string(domain) + "::MultiThreshold", inputs, 1, attributes, node.name()).output(0);
  if (x->type() != nullptr) rewriter.set_type(*y, *x->type());
  const auto is_one = [](const QuantSteps& each) { return each.scale == 1; };
  if (!std::ranges::all_of(steps.channels, is_one))
    y = &rewriter.op("Mul", {y, &rewriter.constant(stepped.scale, std::string(x->name()) + "_scale")});
  return rewriter.replace(*node.output(0), *y);
}

}  // namespace detail

GRAFT_INLINE Pass quant_to_multi_threshold() {
  return detail::convert_nodes("quant_to_multi_threshold", [](Node& node, Rewriter& rewriter) {
    if (!is_quant(node) && !is_bipolar_quant(node) && !is_dequantize(node)) return detail::not_concerned();
    return detail::to_multi_threshold(node, rewriter);
  });
}

}  // namespace graft::inline v1::qonnx
