#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that keeps in float, as exclude_nodes() does, groups of nodes that runtimes fuse if no quantizer is inside:
/// - layer normalization with the sum in front and the biases of that sum;
/// - Gelu (by Erf, Tanh or name) with the bias in front;
/// - the Softmax of an attention with the scale and mask in front.
///
/// Run it after simplify(), which merges equal nodes. Nodes without a name get one.
Pass keep_compositions_in_float();

}  // namespace graft::inline v1
