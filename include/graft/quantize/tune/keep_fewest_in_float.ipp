#pragma once
#include <graft/config.hpp>
#include <graft/quantize/tune/keep_fewest_in_float.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::string to_string(const GoalResult& result) {
  const std::string kept =
      std::to_string(result.in_float.size()) + " of " + std::to_string(result.layers) + " layers in float";
  std::string text;
  switch (result.outcome) {
    case GoalOutcome::nothing_quantized: return "nothing is quantized, whatever stays in float";
    case GoalOutcome::met_by_all:
      return "the goal is reached with every layer quantized: " + to_string(result.reached);
    case GoalOutcome::met:
      text = "the goal is reached with " + kept + ", " + std::to_string(result.pairs) + " of " +
             std::to_string(result.pairs_with_none_in_float) + " pairs left";
      break;
    case GoalOutcome::met_without_pairs:
      text = "the goal is reached only where nothing is quantized any more";
      break;
    case GoalOutcome::not_met: text = "the goal cannot be reached, not even with " + kept;
  }
  return text + ": " + to_string(result.reached) + "; with none in float: " + to_string(result.with_none_in_float);
}

}  // namespace graft::inline v1
