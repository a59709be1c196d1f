#pragma once
#include <graft/qonnx/convert/multi_threshold_to_quant.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/attribute.hpp>
#include <graft/graph/display_name.hpp>
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
#include <graft/qonnx/ops/formats.hpp>
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
  Value* scale = nullptr;           ///< the operand of the Mul; nullptr: there is no Mul
  Value* result = nullptr;

  std::size_t count() const { return static_cast<std::size_t>(rows.dims()[1]); }
  std::span<const float> row(std::size_t channel) const {
    return rows.data<float>().subspan(rows.dims()[0] == 1 ? 0 : channel * count(), count());
  }
  std::size_t channels() const { return std::max(static_cast<std::size_t>(rows.dims()[0]), scales.size()); }
  float scale_of(std::size_t channel) const { return scales[scales.size() == 1 ? 0 : channel]; }
};

/// The rounding and bounds of a Quant. Zero points and bit widths for single channels are not found.
struct Candidate {
  float bits = 0;
  bool is_signed = false, is_narrow = false;
  float zero_point = 0;
};

/// The ranges with as many integers as there are counts, and the zero point for which the lowest of them is `lowest`.
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

/// Whether the thresholds are halfway between the steps of ROUND, or next to that.
inline bool are_middles(const Thresholds& given, const QuantSteps& steps, float unit) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (std::size_t channel = 0; channel < given.channels(); ++channel) {
    const double scale = static_cast<double>(unit) * given.scale_of(channel);
    const std::span<const float> row = given.row(channel);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double integer = steps.lowest() + static_cast<double>(i) - steps.zero_point;
      const auto middle = static_cast<float>((integer + 0.5) * scale);
      if (!(row[i] >= std::nextafter(middle, -infinity) && row[i] <= std::nextafter(middle, infinity))) return false;
    }
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

/// The Mul by constant scales that is the only reader of the MultiThreshold.
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

/// Replaces MultiThresholds by quantizers.
class ThresholdsToQuant {
 public:
  ThresholdsToQuant(const Thresholds& given, Value& x, Rewriter& rewriter)
      : given_(given),
        x_(x),
        rewriter_(rewriter),
        hint_(given.result->name()),
        unit_(given.scale != nullptr ? 1 : given.output.scale),
        candidates_(candidates(given.count(), std::round(given.output.bias / unit_))) {}

  /// Uses the first quantizer with the same results; nullopt if there is none.
  std::optional<Verdict> by_equal() {
    if (given_.count() == 1) {
      const float half = given_.scale != nullptr ? 1 : given_.output.scale / 2;
      const QuantSteps signs{.is_bipolar = true, .divides = false};
      if (are_outputs(given_, signs, half) && are_thresholds(given_, signs, half)) return by_bipolar_quant(half);
    }
    for (const Candidate& candidate : candidates_) {
      QuantSteps steps = steps_of(candidate);
      if (!are_outputs(given_, steps, unit_)) continue;
      for (const RoundingMode mode : {RoundingMode::half_even, RoundingMode::half_up, RoundingMode::half_down,
                                      RoundingMode::floor, RoundingMode::ceil, RoundingMode::up, RoundingMode::down}) {
        steps.rounding = mode;
        if (are_thresholds(given_, steps, unit_)) return by_quant(candidate, mode);
      }
    }
    return std::nullopt;
  }

  /// The first Quant of ROUND that differs only at ties.
  std::optional<Candidate> similar() const {
    const auto is_similar = [&](const Candidate& candidate) {
      const QuantSteps steps = steps_of(candidate);
      return are_outputs(given_, steps, unit_) && are_middles(given_, steps, unit_);
    };
    const auto found = std::ranges::find_if(candidates_, is_similar);
    return found != candidates_.end() ? std::optional(*found) : std::nullopt;
  }

  std::optional<Verdict> by_similar() {
    const std::optional<Candidate> found = similar();
    return found ? std::optional(by_quant(*found, RoundingMode::half_even)) : std::nullopt;
  }

 private:
  static QuantSteps steps_of(const Candidate& candidate) {
    return {.zero_point = candidate.zero_point,
            .range = integer_range(candidate.bits, candidate.is_signed, candidate.is_narrow)};
  }

  Value* scale(float unit) {
    return given_.scale != nullptr && unit == 1 ? given_.scale
                                                : &rewriter_.constant(Tensor::scalar(unit), hint_ + "_scale");
  }

  Verdict by_bipolar_quant(float unit) {
    Value* const inputs[] = {&x_, scale(unit)};
    Node& made = rewriter_.node(std::string(domain) + "::BipolarQuant", inputs, 1, {}, hint_);
    return rewriter_.replace(*given_.result, *made.output(0));
  }

  Verdict by_quant(const Candidate& candidate, RoundingMode mode) {
    Value* const inputs[] = {&x_, scale(unit_),
                             &rewriter_.constant(Tensor::scalar(candidate.zero_point), hint_ + "_zero_point"),
                             &rewriter_.constant(Tensor::scalar(candidate.bits), hint_ + "_bits")};
    const Attributes attributes =
        attributes_of({.is_signed = candidate.is_signed, .is_narrow = candidate.is_narrow, .rounding = mode});
    Node& made = rewriter_.node(std::string(domain) + "::Quant", inputs, 1, attributes, hint_);
    if (x_.type() != nullptr) rewriter_.set_type(*made.output(0), *x_.type());
    return rewriter_.replace(*given_.result, *made.output(0));
  }

  const Thresholds& given_;
  Value& x_;
  Rewriter& rewriter_;
  std::string hint_;
  float unit_;
  std::vector<Candidate> candidates_;
};

inline Verdict to_quant(Node& node, Rewriter& rewriter, bool any_ties, std::string& note) {
  const std::optional<Tensor> rows = graft::detail::constant_input(node, 1);
  if (node.input(0) == nullptr || !rows || rows->dtype() != DType::f32 || rows->rank() != 2 || rows->size() == 0)
    return Verdict::no("its thresholds are not a constant matrix of float32");
  Thresholds given{*rows};
  given.output = {node.attr<float>("out_scale").value_or(1), node.attr<float>("out_bias").value_or(0)};
  given.result = node.output(0);
  if (!(given.output.scale > 0) || !std::isfinite(given.output.scale) || !std::isfinite(given.output.bias))
    return Verdict::no("its out_scale is not positive, or something is not finite");
  std::vector<Thresholds> readings{given};
  if (Thresholds with_mul = given; read_scales_behind(node, with_mul)) readings.insert(readings.begin(), with_mul);
  const std::string what_it_costs =
      display_name(node) + ": ROUND takes its thresholds, which are ties, to even integers";
  for (const bool is_exact : {true, false})
    for (const Thresholds& reading : readings) {
      if (!is_exact && !any_ties) continue;
      rewriter.at(*reading.result->producer());
      ThresholdsToQuant to(reading, *node.input(0), rewriter);
      const std::optional<Verdict> replaced = is_exact ? to.by_equal() : to.by_similar();
      if (!replaced) continue;
      if (!is_exact) note = what_it_costs;
      return *replaced;
    }
  const auto is_similar = [&](const Thresholds& reading) {
    return ThresholdsToQuant(reading, *node.input(0), rewriter).similar().has_value();
  };
  if (std::ranges::none_of(readings, is_similar))
    return Verdict::no("its thresholds are those of no Quant with this scale");
  return Verdict::no({.text = "its thresholds are ties, some of which every Quant with this scale rounds down",
                      .code = thresholds_are_ties});
}

}  // namespace detail

GRAFT_INLINE Pass multi_threshold_to_quant(const MultiThresholdToQuantOptions& options) {
  const bool any_ties = options.any_ties;
  return detail::convert_nodes("multi_threshold_to_quant",
                               [any_ties](Node& node, Rewriter& rewriter, std::string& note) {
                                 if (!is_op(node, "MultiThreshold")) return detail::not_concerned();
                                 return detail::to_quant(node, rewriter, any_ties, note);
                               });
}

}  // namespace graft::inline v1::qonnx
