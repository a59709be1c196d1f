#pragma once
#include <graft/quantize/run/detail/candidate.hpp>
#include <graft/quantize/run/detail/candidate_trials.hpp>
#include <graft/quantize/run/detail/quantize_call.hpp>

namespace graft::inline v1::detail {

/// Refines the ranges of the candidate that was chosen, if its outputs are neither poor nor near to float:
/// refine_ranges(). Takes them back if the quantized model is farther from float with them. False if the call is
/// cancelled.
bool refine_chosen_ranges(QuantizeCall& call, const Candidate& chosen, const CandidateTrials& trials);

/// Finds the layers that the goal takes in float, or else those that a poor candidate takes: keep_fewest_in_float().
/// False if the call is cancelled.
bool keep_layers_in_float(QuantizeCall& call, const Candidate& chosen, bool mixes_forms);

}  // namespace graft::inline v1::detail
