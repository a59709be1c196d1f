#pragma once
#include <graft/quantize/target/target.hpp>
#include <graft/quantize/target/weight_forms.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that stores the constant weights of the operators that the target computes in integers as integers with a
/// DequantizeLinear, symmetric, with one scale or one for each output channel; and their biases as the target takes
/// them, where the input is quantized already. Floats that nobody reads any more go; nodes that exclude_nodes() names
/// keep theirs. Its notes name the patterns of forms that match no node, and say why no weight is quantized. Throws
/// Error naming the tensor that holds a value which is not finite.
Pass quantize_weights(const WeightForms& forms, const Target& target);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/weights/weights.ipp>
#endif
