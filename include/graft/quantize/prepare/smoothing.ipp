#pragma once
#include <graft/quantize/prepare/smoothing.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/weight_channels.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/calibrate/observe_statistics.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/moments.hpp>
#include <graft/quantize/detail/channel_bias.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/quantize/target/kept_in_float.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {
namespace detail {

/// The constant matrix of a MatMul or Gemm. Its input channels are the features of the activation.
struct SmoothedWeight {
  Tensor matrix;
  WeightChannels channels;
  double steps;     ///< number of steps on each side of zero, up to the largest weight
  bool per_column;  ///< one scale for each column, or one for all

  /// Calls f(feature, column, weight) for each element.
  template <class F>
  void each(F f) const {
    const std::span<const float> values = matrix.data<float>();
    channels.each([&](std::size_t i, std::size_t column, std::size_t feature) { f(feature, column, values[i]); });
  }
  /// The matrix with the weights of each feature multiplied by its factor.
  Tensor times(std::span<const double> factors) const {
    std::vector<float> values;
    values.reserve(static_cast<std::size_t>(matrix.size()));
    each([&](std::size_t feature, std::size_t, float weight) {
      values.push_back(static_cast<float>(weight * factors[feature]));
    });
    return Tensor::of(matrix.dims(), values);
  }
};

/// The expected squared error of the products of one activation when it and the weights are quantized.
class SmoothingError {
 public:
  SmoothingError(const FeatureMoments& moments, double activation_steps, std::span<const SmoothedWeight> weights)
      : moments_(moments),
        activation_steps_(activation_steps),
        weights_(weights),
        energies_(moments.features().size()),
        largest_(energies_.size()) {
    for (const SmoothedWeight& one : weights_) {
      one.each([&](std::size_t feature, std::size_t, float weight) {
        energies_[feature] += static_cast<double>(weight) * weight;
        largest_[feature] = std::max(largest_[feature], std::abs(weight));
      });
    }
  }

  /// s_j, with a geometric mean of 1. Features that are zero, or have zero weights only, get 1.
  std::vector<double> factors(double exponent) const {
    std::vector<double> factors(energies_.size(), 1);
    double logarithms = 0;
    std::vector<std::size_t> scaled;
    for (std::size_t j = 0; j < factors.size(); ++j) {
      const Range& range = moments_.features()[j].range;
      const double activation = std::max(std::abs(range.min), std::abs(range.max)), weight = largest_[j];
      if (!(activation > 0) || !(weight > 0)) continue;
      factors[j] = std::pow(activation, exponent) / std::pow(weight, 1 - exponent);
      logarithms += std::log(factors[j]);
      scaled.push_back(j);
    }
    const double mean = std::exp(logarithms / static_cast<double>(std::max<std::size_t>(scaled.size(), 1)));
    for (const std::size_t j : scaled) factors[j] = std::clamp(factors[j] / mean, 0x1p-20, 0x1p20);
    return factors;
  }

  /// A rounding error is uniform in one step: its mean square is step^2 / 12.
  double with(std::span<const double> factors) const {
    double min = 0, max = 0, energy = 0, squares = 0;
    for (std::size_t j = 0; j < factors.size(); ++j) {
      const Range& range = moments_.features()[j].range;
      min = std::min(min, range.min / factors[j]);
      max = std::max(max, range.max / factors[j]);
      energy += factors[j] * factors[j] * energies_[j];
      squares += moments_.mean_square(j) / (factors[j] * factors[j]);
    }
    const double step = (max - min) / activation_steps_;
    double error = step * step * energy;
    for (const SmoothedWeight& one : weights_) error += squares * squared_steps(one, factors);
    return error / 12;
  }

 private:
  static double squared_steps(const SmoothedWeight& one, std::span<const double> factors) {
    std::vector<double> most(one.channels.outputs());
    one.each([&](std::size_t feature, std::size_t output, float weight) {
      most[output] = std::max(most[output], std::abs(weight * factors[feature]));
    });
    if (!one.per_column) std::ranges::fill(most, *std::ranges::max_element(most));
    double sum = 0;
    for (const double magnitude : most) sum += magnitude / one.steps * magnitude / one.steps;
    return sum;
  }

  const FeatureMoments& moments_;
  double activation_steps_;
  std::span<const SmoothedWeight> weights_;
  std::vector<double> energies_;  // of the weights of each feature
  std::vector<float> largest_;
};

/// The indices of the scale and the bias among the inputs of a normalization.
struct NormalizationParameters {
  std::string_view op;
  std::size_t scale, bias;
};
inline constexpr std::size_t no_bias = 99;
inline constexpr std::array smoothed_normalizations{
    NormalizationParameters{"LayerNormalization", 1, 2},
    NormalizationParameters{"SimplifiedLayerNormalization", 1, no_bias},
    NormalizationParameters{"RMSNormalization", 1, no_bias},
    NormalizationParameters{"com.microsoft::SkipLayerNormalization", 2, 3},
    NormalizationParameters{"com.microsoft::SkipSimplifiedLayerNormalization", 2, no_bias}};

class Smoother {
 public:
  Smoother(const WeightForms& forms, const Target& target, Facts& facts)
      : forms_(forms),
        target_(target),
        facts_(facts),
        moments_(*facts.find<Statistics<FeatureMoments>>()),
        kept_(facts.value_or_default<KeptInFloat>()) {}

  Report run(Graph& graph) {
    std::unordered_map<Value*, std::vector<Node*>> products;
    std::vector<Value*> activations;
    for (Node& node : graph.nodes()) {
      if (!multiplies_features(node) || !quantizable(node, target_, kept_)) continue;
      std::vector<Node*>& readers = products[node.input(0)];
      if (readers.empty()) activations.push_back(node.input(0));
      readers.push_back(&node);
    }
    Transaction transaction(graph);
    for (Value* const activation : activations) smooth(*activation, products[activation]);
    transaction.keep();
    return std::move(report_);
  }

 private:
  void smooth(Value& x, const std::vector<Node*>& products) {
    const FeatureMoments* const moments = moments_.find(x.name());
    if (moments == nullptr || moments->count() == 0 || shares_weights(products)) return;
    std::vector<SmoothedWeight> weights;
    for (const Node* const product : products) {
      const WeightForm& form = forms_.of(*product);
      const int bits_used = form.bits_of(*product, target_);
      const Tensor matrix = *product->input(1)->constant();
      const WeightChannels channels(*product, matrix.dims());
      if (channels.inputs() != moments->features().size()) return;
      weights.push_back(
          {matrix, channels, std::ldexp(1.0, bits_used - 1) - 1, form.granularity == Granularity::per_channel});
    }
    const double steps = std::ldexp(1.0, static_cast<int>(bits(target_.activation))) - 1;
    const SmoothingError error(*moments, steps, weights);
    std::vector<double> none(moments->features().size(), 1), best = none;
    const double before = error.with(none);
    double least = before, exponent = 0;
    for (const double a : {0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0}) {
      std::vector<double> factors = error.factors(a);
      const double after = error.with(factors);
      if (!(after < least)) continue;
      least = after;
      exponent = a;
      best = std::move(factors);
    }
    const bool folds = makes_room(x, products.size(), best.size());
    if (!(least < before * (folds ? 0.95 : 1.0 / 3))) return;
    if (!folds && x.graph().find(smoothed_name(x)) != nullptr) return;
    folds ? fold(*x.producer(), best) : insert(x, products, best);
    for (std::size_t i = 0; i < products.size(); ++i)
      replace_constant(*products[i], 1, weights[i].times(best),
                       std::string(products[i]->input(1)->name()) + "_smoothed");
    ++report_.changes;
    report_.notes.push_back("'" + std::string(x.name()) + "' is smoothed " +
                            (folds ? "by the normalization before it" : "by a Mul") + " with an exponent of " +
                            std::to_string(exponent).substr(0, 3));
    if (folds) facts_.tensor_changed(x.name());
  }

  /// Names the Mul and its output. The name is the same in every copy of a model, so that facts of one copy serve the
  /// others.
  static std::string smoothed_name(const Value& x) { return std::string(x.name()) + "_smoothed"; }

  /// Each activation has its own factors, so a weight with other readers would be stored several times.
  static bool shares_weights(const std::vector<Node*>& products) {
    return std::ranges::any_of(products, [&](const Node* product) {
      return std::ranges::any_of(product->input(1)->uses(), [&](const Use& use) {
        return std::ranges::find(products, use.user()) == products.end();
      });
    });
  }

  static const NormalizationParameters* parameters_of(const Node& node) {
    const auto place = std::ranges::find_if(smoothed_normalizations,
                                            [&](const NormalizationParameters& known) { return node.is(known.op); });
    return place == smoothed_normalizations.end() ? nullptr : place;
  }

  /// Whether the activation is the output of a normalization for these products only, with a constant scale for each
  /// feature.
  static bool makes_room(const Value& x, std::size_t products, std::size_t features) {
    const Node* const producer = x.producer();
    const NormalizationParameters* const place = producer != nullptr ? parameters_of(*producer) : nullptr;
    if (place == nullptr || producer->output(0) != &x || x.use_count() != products) return false;
    const auto is_list = [&](std::size_t i) {
      const Value* const value = producer->input(i);
      return value != nullptr && value->is_constant() && value->dtype() == DType::f32 &&
             value->shape() == Shape({Dim(static_cast<std::int64_t>(features))});
    };
    return is_list(place->scale) && (producer->input(place->bias) == nullptr || is_list(place->bias));
  }

  static void divide(Node& node, std::size_t input, const std::vector<double>& factors) {
    std::vector<float> values = node.input(input)->constant()->to<float>();
    for (std::size_t j = 0; j < values.size(); ++j) values[j] = static_cast<float>(values[j] / factors[j]);
    replace_constant(node, input, Tensor::list(values), std::string(node.input(input)->name()) + "_smoothed");
  }

  static void fold(Node& normalization, const std::vector<double>& factors) {
    const NormalizationParameters& place = *parameters_of(normalization);
    divide(normalization, place.scale, factors);
    if (normalization.input(place.bias) != nullptr) divide(normalization, place.bias, factors);
  }

  void insert(Value& x, const std::vector<Node*>& products, const std::vector<double>& factors) {
    std::vector<float> inverses;
    for (const double factor : factors) inverses.push_back(static_cast<float>(1 / factor));
    Graph& graph = x.graph();
    Value& inverse = graph.add_initializer(Tensor::list(inverses), std::string(x.name()) + "_smoothing");
    Node& mul = graph.insert("Mul", {&x, &inverse}, 1, {}, products.front());
    graph.rename(mul, smoothed_name(x));
    graph.rename(*mul.output(0), smoothed_name(x));
    if (x.type() != nullptr) graph.set_type(*mul.output(0), *x.type());
    for (Node* const product : products) rewire(*product, 0, *mul.output(0));
    keep(mul, "it smooths a tensor that is quantized behind it", facts_, report_);
    --report_.changes;  // the activation and its Mul count as one change
  }

  const WeightForms& forms_;
  const Target& target_;
  Facts& facts_;
  const Statistics<FeatureMoments>& moments_;
  const KeptInFloat kept_;
  Report report_;
};

}  // namespace detail

GRAFT_INLINE Pass smooth_activations(const WeightForms& forms, const Target& target) {
  return pass("smooth_activations",
              [forms, target](Graph& graph, Context& context) {
                return detail::Smoother(forms, target, context.facts).run(graph);
              })
      .needs<Statistics<FeatureMoments>>()
      .preserves_all();
}

}  // namespace graft::inline v1
