#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/operator_facts.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/graph/weight_channels.hpp>
#include <graft/vocabulary/along_channels.hpp>
#include <graft/vocabulary/batch_normalization.hpp>
#include <graft/vocabulary/weighted.hpp>

// Nodes that scale and shift channels before a product, and the loss at 8 bits if they are folded into the weight.

namespace graft::inline v1::vocabulary {

/// A chain of elementwise operators by constants: channel k of y is factors[k] * x[k] + shifts[k].
struct ChannelFront {
  std::vector<double> factors, shifts;  ///< one for each channel, or one for all
  std::optional<std::size_t>
      axis_from_last;                     ///< the channels' axis, 0 is the last; nullopt: one factor and shift for all
  bool has_factor = false;                ///< the chain has a Mul, Div or BatchNormalization
  std::vector<double> means, deviations;  ///< of y in training, known from a BatchNormalization
  const Value* x = nullptr;
};

namespace front {

/// The constant operand and the other operand of an elementwise operator.
struct Operands {
  const Value* x;
  Tensor constant;
};

inline std::optional<Operands> operands_of(const Node& node) {
  const bool commutes = node.is("Mul") || node.is("Add");
  if (!(commutes || node.is("Div") || node.is("Sub")) || node.input_count() != 2) return std::nullopt;
  for (std::size_t i = 0; i < (commutes ? 2U : 1U); ++i) {
    const Value *const x = node.input(i), *const c = node.input(1 - i);
    if (x == nullptr || c == nullptr || x->is_constant() || !c->is_constant()) continue;
    std::optional<Tensor> constant = c->constant();
    if (constant && is_float(constant->dtype()) && constant->size() != 0) return Operands{x, *std::move(constant)};
  }
  return std::nullopt;
}

inline std::optional<std::vector<Tensor>> statistics_of(const Node& node) {
  const bool is_inference = node.is("BatchNormalization") && node.input_count() == 5 && has_one_output(node) &&
                            node.attr<std::int64_t>("training_mode").value_or(0) == 0;
  if (!is_inference) return std::nullopt;
  std::vector<Tensor> statistics;
  for (std::size_t i = 1; i < 5; ++i) {
    std::optional<Tensor> one =
        node.input(i) != nullptr && node.input(i)->is_constant() ? node.input(i)->constant() : std::nullopt;
    if (!one || !is_float(one->dtype()) || one->size() == 0) return std::nullopt;
    statistics.push_back(*std::move(one));
  }
  return statistics;
}

/// The only axis of a constant with an extent other than 1.
inline std::optional<std::size_t> long_axis_from_last(const Tensor& constant) {
  std::optional<std::size_t> axis;
  for (std::size_t i = 0; i < constant.rank(); ++i)
    if (constant.dims()[i] == constant.size()) axis = constant.rank() - 1 - i;
  return axis;
}

/// Adds x -> factor * x + shift before the front. False if the channels do not match.
inline bool prepend(ChannelFront& front, const std::vector<double>& factors, const std::vector<double>& shifts,
                    std::optional<std::size_t> axis_from_last) {
  if (factors.size() > 1) {
    if (front.axis_from_last && (front.axis_from_last != axis_from_last || front.factors.size() != factors.size()))
      return false;
    front.axis_from_last = axis_from_last;
    front.factors.resize(factors.size(), front.factors[0]);
    front.shifts.resize(factors.size(), front.shifts[0]);
  }
  for (std::size_t k = 0; k < front.factors.size(); ++k) {
    const std::size_t from = factors.size() > 1 ? k : 0;
    front.shifts[k] += front.factors[k] * shifts[from];
    front.factors[k] *= factors[from];
  }
  return true;
}

inline bool prepend(ChannelFront& front, const Node& node, const Operands& operands) {
  const bool is_factor = node.is("Mul") || node.is("Div");
  const auto count = static_cast<std::size_t>(operands.constant.size());
  const std::vector<double> ones(count, 1), zeros(count, 0);
  const std::optional<std::size_t> axis = long_axis_from_last(operands.constant);
  if (count > 1 && !axis) return false;
  if (is_factor) {
    if (!prepend(front, factors_of(node, operands.constant, count), zeros, axis)) return false;
  } else if (!prepend(front, ones, shifts_of(node, operands.constant, count), axis)) {
    return false;
  }
  front.has_factor = front.has_factor || is_factor;
  return true;
}

inline bool prepend(ChannelFront& front, const Node& node, const std::vector<Tensor>& statistics) {
  const auto channels = statistics[0].size();
  const std::size_t rank = node.input(0)->shape().rank();
  if (rank < 2 || !are_per_channel({&statistics[1], &statistics[2], &statistics[3]}, channels)) return false;
  const float eps = node.attr<float>("epsilon").value_or(1e-5F);
  const std::vector<double> factors = channel_factors(statistics[0], statistics[3], eps);
  const std::vector<double> scales = statistics[0].to<double>(), biases = statistics[1].to<double>();
  const std::vector<double> behind = front.factors, shifted = front.shifts;
  const auto axis = channels > 1 ? std::optional(rank - 2) : std::nullopt;
  if (!prepend(front, factors, channel_biases(factors, statistics[1], statistics[2]), axis)) return false;
  front.has_factor = true;
  if (!front.means.empty()) return true;  // those of the nearest to the product count
  for (std::size_t k = 0; k < front.factors.size(); ++k) {
    const std::size_t last = behind.size() > 1 ? k : 0, from = scales.size() > 1 ? k : 0;
    front.means.push_back(behind[last] * biases[from] + shifted[last]);
    front.deviations.push_back(std::abs(behind[last] * scales[from]));
  }
  return true;
}

}  // namespace front

/// The operand to which the operator applies constants elementwise; nullptr if it is another operator.
inline const Value* scaled_operand(const Node& node) {
  if (const auto operands = front::operands_of(node)) return operands->x;
  return front::statistics_of(node) ? node.input(0) : nullptr;
}

/// The front of a value, as far as channels stay the same. Operators count even if only some of them can be folded.
inline ChannelFront channel_front(const Value& result) {
  ChannelFront front{{1}, {0}, std::nullopt, false, {}, {}, &result};
  while (const Node* const node = front.x->producer()) {
    const auto operands = front::operands_of(*node);
    const auto statistics = operands ? std::nullopt : front::statistics_of(*node);
    if (!(operands ? front::prepend(front, *node, *operands) : statistics && front::prepend(front, *node, *statistics)))
      break;
    front.x = operands ? operands->x : node->input(0);
  }
  if (!front.means.empty()) {
    front.means.resize(front.factors.size(), front.means[0]);
    front.deviations.resize(front.factors.size(), front.deviations[0]);
  }
  return front;
}

/// The mean and the deviation of each channel of a tensor.
struct ChannelSpread {
  std::vector<double> means, deviations;

  /// The span that one scale needs: from 0 to three deviations around each mean.
  double width() const {
    double min = 0, max = 0;
    for (std::size_t k = 0; k < means.size(); ++k) {
      min = std::min(min, means[k] - 3 * deviations[k]);
      max = std::max(max, means[k] + 3 * deviations[k]);
    }
    return max - min;
  }
  double energy(std::size_t k) const { return means[k] * means[k] + deviations[k] * deviations[k]; }
};

/// The spread of y, for `channels` channels. Without a BatchNormalization, it assumes that the front normalizes.
inline ChannelSpread spread_behind(const ChannelFront& front, std::size_t channels) {
  ChannelSpread spread{front.means, front.deviations};
  if (spread.means.empty()) spread = {{0}, {1}};
  spread.means.resize(channels, spread.means[0]);
  spread.deviations.resize(channels, spread.deviations[0]);
  return spread;
}

/// The spread of x. Channels of factor 0 are unknown, and count as 0.
inline ChannelSpread spread_before(const ChannelFront& front, const ChannelSpread& behind) {
  ChannelSpread spread{std::vector<double>(behind.means.size()), std::vector<double>(behind.means.size())};
  for (std::size_t k = 0; k < spread.means.size(); ++k) {
    const std::size_t from = front.factors.size() > 1 ? k : 0;
    if (front.factors[from] == 0) continue;
    spread.means[k] = (behind.means[k] - front.shifts[from]) / front.factors[from];
    spread.deviations[k] = std::abs(behind.deviations[k] / front.factors[from]);
  }
  return spread;
}

/// Compares two forms of a product, w by x, and w * factor by x / factor. Returns the squared error of the second
/// divided by that of the first, on average over the outputs. Weights have a scale for each output, of 127 steps up to
/// the greatest. The input has one scale, of 255 steps. Errors are uniform in a step. each(f) calls f(output, input,
/// weight).
template <class Each>
double error_of_folding(std::size_t outputs, const Each& each, const std::vector<double>& factors,
                        const ChannelSpread& apart, const ChannelSpread& folded) {
  struct Form {
    std::vector<double> greatest, squares, energy;
    double step;

    Form(std::size_t count, const ChannelSpread& input)
        : greatest(count), squares(count), energy(count), step(input.width() / 255) {}
    void add(std::size_t output, double weight, double of_input) {
      greatest[output] = std::max(greatest[output], std::abs(weight));
      squares[output] += weight * weight;
      energy[output] += of_input;
    }
    double error(std::size_t output) const {
      const double weight_step = greatest[output] / 127;
      return weight_step * weight_step * energy[output] + step * step * squares[output];
    }
  };
  Form as_is(outputs, apart), scaled(outputs, folded);
  each([&](std::size_t output, std::size_t input, double weight) {
    as_is.add(output, weight, apart.energy(input));
    scaled.add(output, weight * factors[input], folded.energy(input));
  });
  double sum = 0, counted = 0;
  for (std::size_t output = 0; output < outputs; ++output) {
    const double error = scaled.error(output) / as_is.error(output);
    if (!std::isfinite(error)) continue;
    sum += error;
    ++counted;
  }
  return counted == 0 ? 1 : sum / counted;
}

/// The same for a front and a product with known weights.
inline double error_of_folding(const ChannelFront& front, const WeightChannels& channels,
                               const std::vector<double>& weights) {
  std::vector<double> factors = front.factors;
  factors.resize(channels.inputs(), factors[0]);
  const ChannelSpread behind = spread_behind(front, channels.inputs());
  const auto each = [&](const auto& f) {
    channels.each([&](std::size_t i, std::size_t output, std::size_t input) { f(output, input, weights[i]); });
  };
  return error_of_folding(channels.outputs(), each, factors, behind, spread_before(front, behind));
}

/// The same for a front and an unknown product with equal weights.
inline double error_of_folding(const ChannelFront& front) {
  const ChannelSpread behind = spread_behind(front, front.factors.size());
  const auto each = [&](const auto& f) {
    for (std::size_t k = 0; k < front.factors.size(); ++k) f(0, k, 1.0);
  };
  return error_of_folding(1, each, front.factors, behind, spread_before(front, behind));
}

/// Beyond this, folding costs one of the eight bits.
inline constexpr double max_error_of_folding = 4;
[[deprecated("use max_error_of_folding")]] inline constexpr double most_error_of_folding = max_error_of_folding;

/// Whether shifts of unknown scale differ so much that channels are far apart. The means of an image are similar.
inline bool differ_much(const std::vector<double>& shifts) {
  const auto [min, max] = std::ranges::minmax(shifts);
  return max - min > std::max(std::abs(max), std::abs(min)) / 2;
}

/// Whether the front of a graph input brings channels to one scale that are far apart before, so that 8 bits with one
/// scale for all would lose much.
inline bool evens_out(const ChannelFront& front) {
  return front.has_factor ? error_of_folding(front) > max_error_of_folding : differ_much(front.shifts);
}

/// Whether the value is a graph input, possibly moved.
inline bool is_moved_input(const Value& value) {
  const Value* from = &value;
  while (const Node* const node = from->producer()) {
    if (!moves_elements(*node) && !node->is("Cast")) return false;
    from = node->input(0);
  }
  return !from->is_constant();
}

/// Whether factors before a Conv or Gemm by a constant can be folded into its weight, and summands into its bias,
/// without a loss in quantization.
inline Verdict folds_evenly(const Node& product) {
  const bool is_weighted = (product.is("Conv") || product.is("Gemm")) && product.input_count() > 1;
  const Value* const input = is_weighted ? product.input(0) : nullptr;
  const Node* const before = input != nullptr ? input->producer() : nullptr;
  if (before == nullptr || scaled_operand(*before) == nullptr) return Verdict::yes();
  const Value* const weight = product.input(1);
  const std::optional<Tensor> weights = weight != nullptr && weight->is_constant() ? weight->constant() : std::nullopt;
  if (!weights || !reads_channels(product, *weights, std::nullopt)) return Verdict::yes();
  const ChannelFront front = channel_front(*input);
  const WeightChannels channels(product, weights->dims());
  const bool is_along = front.axis_from_last == weights->rank() - 2 && front.factors.size() == channels.inputs();
  if (front.axis_from_last && !is_along) return Verdict::yes();
  if (front.has_factor ? error_of_folding(front, channels, weights->to<double>()) > max_error_of_folding
                       : is_moved_input(*front.x) && differ_much(front.shifts))
    return Verdict::no("with the nodes before it folded in, weight or input would round much worse");
  return Verdict::yes();
}

}  // namespace graft::inline v1::vocabulary
