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

/// The outcome of a search for the fewest layers in float.
enum class GoalOutcome : std::uint8_t {
  nothing_quantized,  ///< no layer is quantized, with any layers in float
  met_by_all,         ///< with every layer quantized
  met,                ///< with some layers in float
  met_without_pairs,  ///< only if nothing is quantized any more
  not_met,            ///< not even with all layers in float
  lost,               ///< met, but not with the final weights: quantize() gave them fewer bits later
};

/// The result of keep_fewest_in_float().
struct GoalResult {
  static constexpr std::string_view fact_name = "goal_result", fact_maker = "keep_fewest_in_float";

  bool met = false;
  Fidelity reached{};
  GoalOutcome outcome = GoalOutcome::nothing_quantized;
  std::vector<std::string> in_float{};  ///< the layers; first those that cost most accuracy for their time
  std::vector<std::string> dynamic{}, weight_only{};    ///< the products that got these forms of trials.forms
  std::size_t layers = 0;                               ///< the number of all layers
  std::size_t pairs = 0, pairs_with_none_in_float = 0;  ///< quantized activations, without weight-only products
  Fidelity with_none_in_float{};
  std::size_t trials = 0;    ///< the number of quantized copies that ran all samples
  std::size_t nameless = 0;  ///< quantized nodes without a name, which could not be tried
};

/// "the goal is reached with 1 of 3 layers in float, 3 of 4 pairs left: agreement 1.0000, ..."
std::string to_string(const GoalResult& result);

/// The pass that keeps as few layers in float as the goal requires, measured on all samples. It measures copies that
/// the following, quantizing passes make, so that the graph will meet the goal too.
///
/// First it ranks layers. It measures the noise that each adds to the outputs when it alone is quantized, on the first
/// two samples, running from the layer on. In graphs of many layers, neighbours are measured together. For
/// Placement::min_cost it finds the price of noise at which each layer no longer pays (Lagrange multipliers: Everett
/// 1963). So layers that cost much accuracy and gain little time are turned back first, without their neighbours. With
/// other placements the noisiest are first. The ranking assumes that the noise of layers is additive; the following
/// trials do not.
///
/// Bisection finds how many of the first layers are needed. Then each layer that is not needed is dropped, several at a
/// time if there are many. The number is small, but not always the least. The samples run about log2(layers) + 12
/// times; a trial ends when it can no longer reach the cosine of the goal. After trials.max_seconds the best result so
/// far is used.
///
/// Its notes, and the GoalResult that it provides, list the layers in float, the number of remaining pairs (other
/// operators may no longer pay), and the reached fidelity. If the goal cannot be reached, or only without pairs, it
/// counts as not met, and all candidates stay in float. With trials.forms, layers that are products get the first of
/// these forms with which the goal is met, in ProductForms; if none suffices, they stay in float. Products that are
/// dynamic or weight-only already are layers too. Throws Error for any other form in trials.forms. Nodes of
/// exclude_nodes() stay in float. Uses samples, make_executor and the model as analyze() does.
Pass keep_fewest_in_float(const FidelityGoal& goal, const Pass& quantize, SampleSource samples,
                          LayerTrialOptions trials = {}, ExecutorFactory make_executor = {});

}  // namespace graft::inline v1
