#pragma once
#include <graft/quantize/place/bias.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/drop.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/qdq/quantized_constant.hpp>
#include <graft/quantize/kernel/channels.hpp>

namespace graft::inline v1 {

namespace detail {

/// Half of what an int32 holds: the kernel adds its products of 8 bit numbers to the bias before it rescales.
inline constexpr double bias_limit = 1 << 30;

/// The smallest scale of a weight with which the bias fits, and with which the product of the scales is a normal
/// number.
inline float least_weight_scale(float bias, float input_scale) {
  const double product =
      std::max<double>(std::abs(static_cast<double>(bias)) / bias_limit, std::numeric_limits<float>::min());
  float scale = to_scale(product / input_scale);
  while (static_cast<double>(scale * input_scale) < product)
    scale = std::nextafter(scale, std::numeric_limits<float>::infinity());
  return scale;
}

/// The greatest of the biases that are stored in steps of a scale, and whether all weights of that scale are 0: any
/// scale serves these.
struct ScaleUse {
  float greatest_bias = 0;
  bool is_free = true;
};

inline std::vector<ScaleUse> uses_of_scales(const QuantizedTensor& weight, std::span<const float> bias) {
  const Rows rows(weight.data.dims(), weight.axis);
  const std::vector<std::int32_t> zero_points = weight.zero_point.to<std::int32_t>();
  const std::vector<std::int32_t> codes = weight.data.to<std::int32_t>();
  std::vector<ScaleUse> uses(static_cast<std::size_t>(weight.scale.size()));
  for (std::size_t row = 0; row * rows.length < codes.size(); ++row) {
    const std::size_t c = row % rows.channels;
    const auto is_zero = [zero = zero_points[c]](std::int32_t code) { return code == zero; };
    const std::span<const std::int32_t> of_row = std::span(codes).subspan(row * rows.length, rows.length);
    uses[c].is_free = uses[c].is_free && std::ranges::all_of(of_row, is_zero);
  }
  for (std::size_t c = 0; c < bias.size(); ++c) {
    float& greatest = uses[c % uses.size()].greatest_bias;
    greatest = std::max(greatest, std::abs(bias[c]));
  }
  return uses;
}

/// The scale of a weight, or of a channel of it, that holds the biases: a larger one where they would overflow, and a
/// smaller one for weights of 0 where they would keep less than 16 bits. They get the 24 bits of a float32 then.
inline float scale_for_bias(float scale, const ScaleUse& use, float input_scale) {
  const float least = least_weight_scale(use.greatest_bias, input_scale);
  const double free_scale = double{use.greatest_bias} / double{input_scale};
  if (!use.is_free || use.greatest_bias == 0 || free_scale >= double{scale} * (1 << 16)) return std::max(scale, least);
  return std::max(to_scale(free_scale / (1 << 24)), least);
}

GRAFT_INLINE QuantizedTensor rescaled(const QuantizedTensor& tensor, std::span<const float> scales) {
  const Rows rows(tensor.data.dims(), tensor.axis);
  const std::vector<std::int32_t> zero_points = tensor.zero_point.to<std::int32_t>();
  const std::vector<float> old = tensor.scale.to<float>();
  std::vector<std::int32_t> codes = tensor.data.to<std::int32_t>();
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const std::size_t c = i / rows.length % rows.channels;
    const double ratio = static_cast<double>(old[c]) / scales[c];
    codes[i] = zero_points[c] + static_cast<std::int32_t>(round_half_even((codes[i] - zero_points[c]) * ratio));
  }
  return {Tensor::of<std::int32_t>(tensor.data.dtype(), tensor.data.dims(), codes),
          Tensor::of<float>(tensor.scale.dims(), scales), tensor.zero_point, tensor.axis};
}

GRAFT_INLINE QuantizedTensor quantize_bias(std::span<const float> bias, float input_scale,
                                           const QuantizedTensor& weight) {
  std::vector<float> scales;
  for (const float scale : weight.scale.to<float>()) scales.push_back(input_scale * scale);
  for (const std::size_t size = scales.size(); size > 1 && scales.size() < bias.size();)
    scales.push_back(scales[scales.size() % size]);
  const bool per_channel = weight.axis && scales.size() == bias.size();
  std::vector<std::int32_t> codes;
  for (std::size_t c = 0; c < bias.size(); ++c) {
    codes.push_back(
        static_cast<std::int32_t>(round_half_even(static_cast<double>(bias[c]) / scales[scales.size() == 1 ? 0 : c])));
  }
  return {Tensor::of<std::int32_t>({static_cast<std::int64_t>(bias.size())}, codes),
          Tensor::of<float>(per_channel ? Dims{static_cast<std::int64_t>(scales.size())} : Dims{}, scales),
          {},
          per_channel ? std::optional<std::size_t>(0) : std::nullopt};
}

}  // namespace detail

GRAFT_INLINE BiasResult quantize_bias(Node& node) {
  const auto dequantize = [&](std::size_t i) -> Node* {
    Node* const producer = node.input(i) != nullptr ? node.input(i)->producer() : nullptr;
    return producer != nullptr && is_dequantize(*producer) ? producer : nullptr;
  };
  Value* const bias = node.input(2);
  if (bias == nullptr || !bias->is_constant() || dequantize(0) == nullptr || dequantize(1) == nullptr)
    return BiasResult::left;
  const std::optional<Tensor> tensor = bias->constant();
  const std::optional<QParams> input = qparams_of(*dequantize(0));
  std::optional<QuantizedTensor> weight = quantized_constant(*dequantize(1));
  if (!tensor || tensor->dtype() != DType::f32 || !input || !weight) return BiasResult::left;

  Graph& graph = node.graph();
  const float input_scale = input->scale * product_factor(node);
  const std::span<const float> values = tensor->data<float>();
  const auto fail = [&](std::string message) { throw Error(std::move(message)).node(node.name()).field(bias->name()); };
  std::vector<float> scales = weight->scale.to<float>();
  const auto check_length = [&](std::size_t channels) {
    if (values.size() == channels) return;
    fail("has " + std::to_string(values.size()) + " values for " + std::to_string(channels) + " channels");
  };
  // Each group of a ConvTranspose has the scales of the others.
  const std::int64_t groups = node.is("ConvTranspose") ? node.attr<std::int64_t>("group").value_or(1) : 1;
  if (scales.size() != 1) check_length(scales.size() * static_cast<std::size_t>(groups));
  if (const auto axis = channel_axis(node, weight->data.rank()))
    check_length(static_cast<std::size_t>(weight->data.dims()[*axis] * groups));
  if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); }))
    fail("has a value that is not finite, and cannot be quantized");
  const std::vector<detail::ScaleUse> uses = detail::uses_of_scales(*weight, values);
  bool fits = true, changes = false;
  for (std::size_t c = 0; c < scales.size(); ++c) {
    const float scale = detail::scale_for_bias(scales[c], uses[c], input_scale);
    fits = fits && scale <= scales[c];
    changes = changes || scale != scales[c];
    scales[c] = scale;
  }
  if (changes) {
    Value* const old = node.input(1);
    const std::string name(dequantize(1)->input(0)->name());
    weight = detail::rescaled(*weight, scales);
    detail::rewire(node, 1, insert_dequantize(add_quantized(graph, *weight, name), node, name));
    detail::drop_unused(old);
  }
  QuantizedTensor quantized = detail::quantize_bias(values, input_scale, *weight);
  detail::rewire(node, 2,
                 insert_dequantize(add_quantized(graph, std::move(quantized), bias->name()), node, bias->name()));
  detail::drop_unused(bias);
  return fits ? BiasResult::quantized : BiasResult::rescaled;
}

namespace detail {

GRAFT_INLINE void add_bias(Node& node, const Target& target, Report& report) {
  if (target.bias != BiasForm::int32) return;
  const BiasResult result = quantize_bias(node);
  if (result != BiasResult::left) ++report.changes;
  if (result == BiasResult::rescaled) {
    report.notes.push_back("'" + std::string(node.name()) +
                           "': the scale of its weight was raised, its bias would have overflowed int32");
  }
}

}  // namespace detail

}  // namespace graft::inline v1
