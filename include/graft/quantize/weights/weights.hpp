#pragma once
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/target/weight_forms.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that stores the weights of operators that the target computes in integers as symmetric integers with a
/// DequantizeLinear. They have one scale, or one for each output channel. Biases are stored in the target's form if the
/// input is quantized already. Float constants without readers are removed; nodes of exclude_nodes() keep theirs. Its
/// notes name the patterns of forms that match no node, and the reason if no weight is quantized. Throws Error naming a
/// tensor with a value that is not finite.
Pass quantize_weights(const WeightForms& forms, const Target& target);

}  // namespace graft::inline v1
