#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <graft/evaluate/executor_factory.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/tune/fidelity.hpp>
#include <graft/quantize/tune/layer_trials.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// How a search for the fewest layers in float ended.
enum class GoalOutcome : std::uint8_t {
  nothing_quantized,  ///< whatever stays in float
  met_by_all,         ///< with every layer quantized
  met,                ///< with some layers in float
  met_without_pairs,  ///< only where nothing is quantized any more
  not_met,            ///< not even with all layers in float
};

/// What keep_fewest_in_float() has found.
struct GoalResult {
  static constexpr std::string_view fact_name = "goal_result", fact_maker = "keep_fewest_in_float";

  bool met = false;
  Fidelity reached{};
  GoalOutcome outcome = GoalOutcome::nothing_quantized;
  std::vector<std::string> in_float{};  ///< the layers, those first that cost most accuracy for their time
  std::vector<std::string> dynamic{}, weight_only{};    ///< those that are products in these of trials.forms
  std::size_t layers = 0;                               ///< how many there are to choose of
  std::size_t pairs = 0, pairs_with_none_in_float = 0;  ///< quantized activations, weight-only products not counted
  Fidelity with_none_in_float{};
  std::size_t trials = 0;    ///< how often all samples were run on a quantized copy
  std::size_t nameless = 0;  ///< quantized nodes that could not be tried, as they have no name
};

/// "the goal is reached with 1 of 3 layers in float, 3 of 4 pairs left: agreement 1.0000, ..."
std::string to_string(const GoalResult& result);

/// The pass that keeps as few layers in float as the goal requires, on all samples. It measures what the following
/// passes, which quantize, make of a copy, so that they meet the goal on the graph too.
///
/// Layers are ranked first. The noise that each adds to the outputs where it alone is quantized is measured on the
/// first two samples, from the layer on; in graphs of many layers neighbours are measured together. Placement::min_cost
/// is then asked at which price of noise each layer no longer pays (Lagrange multipliers: Everett 1963), so that layers
/// go that cost much accuracy and gain little time, and not their neighbours without them. With other placements the
/// noisiest go first. The noise of layers is taken to be additive here; the trials that follow do not rely on it.
/// Bisection finds how many of the first layers are needed. Of these each that is not needed is dropped, several at a
/// time where there are many. The number is small, not always the least. Runs the samples about log2(layers) + 12
/// times; a trial ends when it can no longer reach the cosine of the goal. After trials.max_seconds what was found by
/// then is taken.
///
/// Its notes list what stays in float, how many pairs are left (other operators may no longer pay), and what is
/// reached, as does the GoalResult that it provides. Where the goal cannot be reached, or only by a graph without
/// pairs, it is not met, and all candidates stay in float. With trials.forms the layers that are products get the first
/// of these forms with which the goal is met, in ProductForms; only else do they stay in float too. Products that are
/// dynamic or weight-only already are layers as well. Throws Error for another form in trials.forms. What
/// exclude_nodes() names stays in float. Samples, make_executor and the model are treated as by analyze().
Pass keep_fewest_in_float(const FidelityGoal& goal, const Pass& quantize, SampleSource samples, LayerTrials trials = {},
                          ExecutorFactory make_executor = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/tune/keep_fewest_in_float.ipp>
#endif
