#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/name_pattern.hpp>
#include <graft/qonnx/convert/set_bit_widths.hpp>
#include <graft/quantize/calibrate/observer.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/place/activation_dtypes.hpp>
#include <graft/quantize/place/placement_kind.hpp>
#include <graft/quantize/run/quantization_mode.hpp>
#include <graft/quantize/run/quantized_format.hpp>
#include <graft/quantize/target/weight_forms.hpp>
#include <graft/quantize/tune/fidelity.hpp>
#include <graft/quantize/tune/layer_trials.hpp>
#include <graft/quantize/tune/nearest_ranges.hpp>

namespace graft::inline v1 {

/// What quantize() does, accurate by default.
struct QuantizeOptions {
  /// Static or dynamic quantization, whichever comes nearer to float, unless set otherwise. The options of
  /// DynamicOptions and BlockwiseOptions stand in these, those of weights too; of those below they heed exclude,
  /// freeze_inputs, fuse_transformers, compare, make_executor and max_held_out. quantize() refuses any other that
  /// differs from its default, except for what helps accuracy.
  QuantizationMode mode{};

  Placement placement = Placement::min_cost;
  /// Per-tensor weights are clipped where several ways to quantize are tried.
  WeightForms weights = Granularity::per_channel;

  /// Ways to make ranges of histograms. Of several the one whose outputs are nearest to float is kept. The first makes
  /// the ranges with which equalized weights and smoothed activations are compared to others.
  std::vector<RangeChoice> observers = usual_range_choices();
  /// Finds the ranges where `observers` is empty.
  AnyRangeObserver observer{};

  /// What helps accuracy. All that is gathered for these takes one run of the samples; equalizing weights and smoothing
  /// activations take another.
  bool correct_biases = true;      ///< correct_biases()
  bool equalize = true;            ///< equalize_weights()
  bool smooth = true;              ///< smooth_activations()
  bool zero_dead_channels = true;  ///< zero_dead_channels()
  /// Keep these only where outputs come nearer to float than with min-max ranges alone, by more than the noise.
  bool compare = true;

  /// Min-max ranges, and nothing else: the shortest way.
  static QuantizeOptions fast() {
    QuantizeOptions options;
    options.observers.clear();
    options.correct_biases = options.equalize = options.smooth = options.zero_dead_channels = options.compare = false;
    return options;
  }

  std::optional<Ranges> ranges{};  ///< known ones; the samples are not run to find any
  std::vector<RangeOverride> range_overrides{};
  std::vector<ActivationOverride> activation_overrides{};
  std::vector<NamePattern> exclude{};  ///< nodes that stay in float
  bool exclude_ends = false;           ///< the first and the last node with a weight stay in float
  bool commute = false;                ///< move DequantizeLinear past activations that the target defers
  /// Make the target's fused operators of attention and of the operators around it: Target::fused_operators.
  bool fuse_transformers = true;
  /// Initializers that callers may override are taken for constants, and stop being inputs.
  bool freeze_inputs = false;

  /// What the result is written in. The audit and the expected time are those of Q/DQ on the target.
  QuantizedFormat format = QuantizedFormat::qdq;
  /// Bit widths of activations other than 8, with QuantizedFormat::qcdq and qonnx: qonnx::set_bit_widths(). Ranges are
  /// found for 8 bits. Those of weights stand in `weights`.
  std::vector<qonnx::BitWidth> bit_widths{};

  /// The work of a search that quantize() makes by itself, in runs of one sample through the model. Work and not time,
  /// so that the same input gives the same model on every machine; the search may take a little more. There is none
  /// with 0, and where ways are not compared.
  ///
  /// Where the best way is poor, Fidelity::is_poor(), it looks for the few layers that are better left in float:
  /// keep_fewest_in_float(); not with a goal, which does the same. Where the way is neither poor nor near it refines
  /// the ranges: refine_ranges(), on up to 24 samples; not of known ranges, and not if the work is too little for 12.
  std::size_t search_runs = 2000;

  std::optional<FidelityGoal> goal{};  ///< keep as few layers in float as it takes: keep_fewest_in_float()
  bool analyze = false;                ///< find out which layers lose most: analyze()
  LayerTrialOptions layer_trials{};    ///< for these two

  /// Runs the graphs; by default graft's Evaluator.
  std::optional<ExecutorFactory> make_executor{};
  /// At most so many samples judge ways that were made without them; with 0 those of the calibration judge.
  std::size_t max_held_out = 64;
};

}  // namespace graft::inline v1
