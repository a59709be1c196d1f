#pragma once
#include <graft/quantize/kernel/target.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass after which inject_qdq() quantizes a share, 0 to 1, of the operators' results to 16 bits: those of which 8
/// bits lose most, which is the square of a step over the mean square of the values. Inputs that only such operators
/// read get 16 bits, too, and so do those that they share with others. Tensors with a dtype of their own keep it. Needs
/// Ranges; without histograms, the mean square is that of values spread evenly. The target converts operands,
/// Quirk::converts_operands, or the operators stay in float; at opset 21. Throws Error for a share outside 0 to 1.
Pass widen_activations(double share, const Target& target);

}  // namespace graft::inline v1
