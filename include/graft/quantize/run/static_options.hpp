#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <graft/graph/name_pattern.hpp>
#include <graft/quantize/calibrate/range_method.hpp>
#include <graft/quantize/place/activation_dtypes.hpp>
#include <graft/quantize/place/placement_kind.hpp>
#include <graft/quantize/target/weight_forms.hpp>
#include <graft/quantize/tune/choose_bit_widths.hpp>
#include <graft/quantize/tune/fidelity.hpp>
#include <graft/quantize/tune/layer_trials.hpp>
#include <graft/quantize/tune/reconstruct.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// A way to quantize of your own. quantize() judges it on copies, beside its own candidates.
struct CustomCandidate {
  std::string name;
  /// Quantizes a prepared model. The facts have the Ranges of the first method, and the statistics that were gathered,
  /// but no ProductForms.
  Pass quantize;
};

enum class Activations : std::uint8_t {
  target,  ///< in the dtype of the target
  mixed,   ///< 8 bits where 16 bring outputs no nearer; for targets that convert operands, Quirk::converts_operands
};

/// Static quantization: weights and activations in 8 bits, between Q/DQ pairs whose scales are found on samples.
struct StaticOptions {
  Placement placement = Placement::min_cost;
  /// Per-tensor weights are clipped where several candidates are tried.
  WeightForms weights = Granularity::per_channel;
  /// The methods that find ranges, or the ranges, if they are known; then the samples are not run to find any. Of
  /// several methods, which must read histograms, the one whose outputs are nearest to float is kept. Equalized weights
  /// and smoothed activations are compared with the ranges of the first method.
  RangeSource ranges = usual_range_methods();
  std::vector<RangeOverride> range_overrides{};
  /// Of fewer bits: usual_range_methods() of these suit better.
  std::vector<ActivationOverride> activation_overrides{};
  /// `mixed` is compared with more and more of the activations in 16 bits, widen_activations(), on the best ranges. It
  /// needs samples.
  Activations activations = Activations::target;

  /// Let products, which are MatMul and Gemm by constants, be dynamic or weight-only where that is better, on a target
  /// that has kernels for these forms. The candidates are those that take less time by the target's costs, with weights
  /// of 8 bits or 4; where outputs are not near to float, those whose inputs are rounded much less, and then all
  /// products. A form is kept where outputs on held-out samples are nearer to float and the model is not expected to be
  /// slower, or the other way round; where static quantization is poor, Fidelity::is_poor(), if they are nearer.
  ///
  /// Dynamic quantization and nothing else is a candidate too, if the products are MatMul and Gemm alone; where static
  /// quantization is poor, also beside convolutions that do less work. Not with a goal, or exclude_ends.
  ///
  /// Products stay static with one method, known ranges or overrides, with a placement other than min_cost, and with
  /// commute, reconstruct or bit_budget. With a goal the products that cost most accuracy become dynamic, or else
  /// weight-only, before they are left in float.
  bool mix_forms = true;

  /// What helps accuracy. One run of the samples gathers all that these need; equalizing weights and smoothing
  /// activations take another.
  bool correct_biases = true;      ///< correct_biases()
  bool equalize = true;            ///< equalize_weights()
  bool smooth = true;              ///< smooth_activations()
  bool zero_dead_channels = true;  ///< zero_dead_channels()

  /// Learn the rounding of weights layer by layer: reconstruct(). Needs samples. For weights of few bits: candidates
  /// are judged before, with 8 bits. No layers are left in float because the best one is poor.
  std::optional<Reconstruction> reconstruct{};

  /// Give each weight, and each activation that it is multiplied with, as many bits as a budget for all has room for:
  /// choose_bit_widths(). Needs samples. The candidates are judged before, with 8 bits; not with candidates of your
  /// own. No layers are left in float because the best one is poor: they would take most of the budget.
  std::optional<BitBudget> bit_budget{};

  bool exclude_ends = false;  ///< leave the first and the last node with a weight in float
  bool commute = false;       ///< move DequantizeLinear past activations that the target defers

  /// The limit of the searches that quantize() makes by itself, in runs of one sample through the model. It is work and
  /// not time, so that the same input gives the same model on every machine. A search may exceed it a little. There is
  /// none with 0, and where candidates are not compared.
  ///
  /// Where the best candidate is poor, Fidelity::is_poor(), the search finds the few layers that are better left in
  /// float: keep_fewest_in_float(); not with a goal, which does the same. Where it is neither poor nor near, ranges are
  /// refined: refine_ranges(), on up to 24 samples; not known ranges, and not if the limit allows less than 12.
  std::size_t search_runs = 2000;

  /// Keep as few layers in float as it takes: keep_fewest_in_float(). With reconstruct or bit_budget, layers are found
  /// before, with weights of 8 bits; then the result is measured, and may lose the goal. It needs samples.
  std::optional<FidelityGoal> goal{};
  bool analyze = false;              ///< find the layers that lose most: analyze(). It needs samples, too
  LayerTrialOptions layer_trials{};  ///< for these two

  std::vector<CustomCandidate> candidates{};  ///< more candidates, which need samples; quantize() judges them last
};

}  // namespace graft::inline v1
