#pragma once
#include <graft/quantize/kernel/target.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that takes quantizers past activations: the pair in front of an activation goes where the target fuses that
/// in front of the pair behind it, and a DequantizeLinear without a QuantizeLinear moves below what integers can do as
/// well. On a graph of naive placement it gives that of fusion-aware placement for the same target. The report says
/// which moves are exact, and how far values may move by others, as commutation_bound() has it.
Pass commute_dq_past_activation(const Target& target);

}  // namespace graft::inline v1
