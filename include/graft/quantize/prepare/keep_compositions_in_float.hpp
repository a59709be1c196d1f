#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that keeps in float, as exclude_nodes() does, what runtimes compute as one where no quantizer stands
/// inside: layer normalization with the sum before it and the biases of that, Gelu with the bias before it, by Erf,
/// Tanh or name, and the Softmax of an attention with the scale and mask before it. After simplify(), which merges what
/// they compute twice. What has no name gets one.
Pass keep_compositions_in_float();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/prepare/keep_compositions_in_float.ipp>
#endif
