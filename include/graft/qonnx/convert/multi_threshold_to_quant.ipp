#pragma once
#include <graft/qonnx/convert/multi_threshold_to_quant.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qonnx/convert/detail/node_conversions.hpp>
#include <graft/qonnx/convert/detail/quant_steps.hpp>
#include <graft/qonnx/convert/detail/threshold_output.hpp>
#include <graft/qonnx/ops/integer_range.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/qonnx/ops/quantizer.hpp>
#include <graft/qonnx/ops/rounding_mode.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

/// A MultiThreshold, and the Mul by scales behind it, if there is one.
struct Thresholds {
  Tensor rows;  ///< one, or one for each channel
  ThresholdOutput output{};
  std::vector<float> scales{1.0F};  ///< of the Mul: one, or one for each channel
  Value* scale = nullptr;           ///< what it multiplies by; nullptr: there is no Mul
  Value* result = nullptr;

  std::size_t count() const { return static_cast<std::size_t>(rows.dims()[1]); }
  std::span<const float> row(std::size_t channel) const {
    return rows.data<float>().subspan(rows.dims()[0] == 1 ? 0 : channel * count(), count());
  }
  std::size_t channels() const { return std::max(static_cast<std::size_t>(rows.dims()[0]), scales.size()); }
  float scale_of(std::size_t channel) const { return scales[scales.size() == 1 ? 0 : channel]; }
};

/// How a Quant would round and clamp; of several zero points and bit widths none has been found.
struct Candidate {
  float bits = 0;
  bool is_signed = false, is_narrow = false;
  float zero_point = 0;
};

/// The ranges of as many integers as there are counts, with what makes the lowest of them the number `lowest`.
inline std::vector<Candidate> candidates(std::size_t count, float lowest) {
  std::vector<Candidate> found;
  for (const bool is_narrow : {false, true}) {
    const std::size_t integers = count + 1 + (is_narrow ? 1 : 0);
    if (!std::has_single_bit(integers) || integers < 2 || integers > 65536) continue;
    const auto bits = static_cast<float>(std::bit_width(integers) - 1);
    for (const bool is_signed : {true, false}) {
      if (bits == 1 && (is_signed || is_narrow)) continue;
      found.push_back({bits, is_signed, is_narrow, integer_range(bits, is_signed, is_narrow).min - lowest});
    }
  }
  std::stable_partition(found.begin(), found.end(), [](const Candidate& each) { return each.zero_point == 0; });
  return found;
}

inline bool are_thresholds(const Thresholds& given, QuantSteps steps, float unit) {
  for (std::size_t channel = 0; channel < given.channels(); ++channel) {
    steps.scale = unit * given.scale_of(channel);
    const std::span<const float> row = given.row(channel);
    for (std::size_t i = 0; i < row.size(); ++i)
      if (row[i] != steps.threshold(steps.lowest() + static_cast<float>(i + 1) * steps.step())) return false;
  }
  return true;
}

/// Whether the outputs are (integer - zero point) * scale, as the Quant computes it.
inline bool are_outputs(const Thresholds& given, const QuantSteps& steps, float unit) {
  for (std::size_t channel = 0; channel < given.scales.size(); ++channel)
    for (std::size_t i = 0; i <= given.count(); ++i) {
      const float integer = steps.lowest() + static_cast<float>(i) * steps.step() - steps.zero_point,
                  made = given.output.at(static_cast<std::int64_t>(i)) * given.scales[channel];
      if (made != integer * (unit * given.scales[channel])) return false;
    }
  return true;
}

/// The Mul by constant scales that alone reads the MultiThreshold.
inline bool read_scales_behind(const Node& node, Thresholds& given) {
  Value& output = *node.output(0);
  Node* const user = output.has_one_use() ? output.uses().front().user() : nullptr;
  if (user == nullptr || !user->is("Mul") || &user->graph() != &node.graph()) return false;
  const std::size_t other = user->input(0) == &output ? 1 : 0;
  const std::optional<Tensor> scale = graft::detail::constant_input(*user, other);
  if (!scale || scale->dtype() != DType::f32 || scale->size() == 0) return false;
  const Shape shape = output.shape().known() ? output.shape() : node.input(0)->shape();
  if (scale->rank() != 0 && (!shape.known() || scale->rank() > shape.rank())) return false;
  if (scale->size() != 1) {
    const std::optional<std::size_t> axis = only_axis(scale->dims(), shape.rank());
    const std::optional<std::string> layout = node.attr<std::string>("data_layout");
    if (!axis || axis != channel_axis(layout ? *layout : "", shape.rank())) return false;
    if (given.rows.dims()[0] != 1 && given.rows.dims()[0] != scale->size()) return false;
  }
  for (const float each : scale->data<float>())
    if (!(each > 0) || !std::isfinite(each)) return false;
  given.scales = scale->to<float>();
  given.scale = user->input(other);
  given.result = user->output(0);
  return true;
}

/// Replaces by the first Quant or BipolarQuant that does the same.
inline bool replace_by_quantizer(const Thresholds& given, Value& x, Rewriter& rewriter, Verdict& replaced) {
  const std::string hint(given.result->name());
  const auto scale = [&](float unit) {
    return given.scale != nullptr && unit == 1 ? given.scale
                                               : &rewriter.constant(Tensor::scalar(unit), hint + "_scale");
  };
  const float unit = given.scale != nullptr ? 1 : given.output.scale, lowest = std::round(given.output.bias / unit);
  QuantSteps steps;
  if (given.count() == 1) {
    steps.is_bipolar = true;
    steps.divides = false;
    const float half = given.scale != nullptr ? 1 : given.output.scale / 2;
    if (are_outputs(given, steps, half) && are_thresholds(given, steps, half)) {
      Value* const inputs[] = {&x, scale(half)};
      Node& made = rewriter.node(std::string(domain) + "::BipolarQuant", inputs, 1, {}, hint);
      replaced = rewriter.replace(*given.result, *made.output(0));
      return true;
    }
    steps.is_bipolar = false;
    steps.divides = true;
  }
  for (const Candidate& candidate : candidates(given.count(), lowest)) {
    steps.zero_point = candidate.zero_point;
    steps.range = integer_range(candidate.bits, candidate.is_signed, candidate.is_narrow);
    if (!are_outputs(given, steps, unit)) continue;
    for (const RoundingMode mode : {RoundingMode::half_even, RoundingMode::half_up, RoundingMode::half_down,
                                    RoundingMode::floor, RoundingMode::ceil, RoundingMode::up, RoundingMode::down}) {
      steps.rounding = mode;
      if (!are_thresholds(given, steps, unit)) continue;
      Value* const inputs[] = {&x, scale(unit),
                               &rewriter.constant(Tensor::scalar(candidate.zero_point), hint + "_zero_point"),
                               &rewriter.constant(Tensor::scalar(candidate.bits), hint + "_bits")};
      const Attributes attributes = attributes_of(
          {.is_signed = candidate.is_signed, .is_narrow = candidate.is_narrow, .rounding = mode});
      Node& made = rewriter.node(std::string(domain) + "::Quant", inputs, 1, attributes, hint);
      if (x.type() != nullptr) rewriter.set_type(*made.output(0), *x.type());
      replaced = rewriter.replace(*given.result, *made.output(0));
      return true;
    }
  }
  return false;
}

inline Verdict to_quant(Node& node, Rewriter& rewriter) {
  const std::optional<Tensor> rows = graft::detail::constant_input(node, 1);
  if (node.input(0) == nullptr || !rows || rows->dtype() != DType::f32 || rows->rank() != 2 || rows->size() == 0)
    return Verdict::no("its thresholds are no constant matrix of float32");
  Thresholds given{*rows};
  given.output = {node.attr<float>("out_scale").value_or(1), node.attr<float>("out_bias").value_or(0)};
  given.result = node.output(0);
  if (!(given.output.scale > 0) || !std::isfinite(given.output.scale) || !std::isfinite(given.output.bias))
    return Verdict::no("its out_scale is not positive, or something is not finite");
  Verdict replaced = Verdict::yes();
  Thresholds with_mul = given;
  if (read_scales_behind(node, with_mul)) {
    rewriter.at(*with_mul.result->producer());
    if (replace_by_quantizer(with_mul, *node.input(0), rewriter, replaced)) return replaced;
  }
  rewriter.at(node);
  if (replace_by_quantizer(given, *node.input(0), rewriter, replaced)) return replaced;
  return Verdict::no("its thresholds are those of no Quant with this scale");
}

}  // namespace detail

GRAFT_INLINE Pass multi_threshold_to_quant() {
  return detail::convert_nodes("multi_threshold_to_quant", [](Node& node, Rewriter& rewriter) {
    if (!is_op(node, "MultiThreshold")) return detail::not_concerned();
    return detail::to_quant(node, rewriter);
  });
}

}  // namespace graft::inline v1::qonnx
