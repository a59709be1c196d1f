#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that evens out the weights of two Conv or Gemm which follow each other, and whatever stands between them
/// scales with its channels: Relu, LeakyRelu, PRelu, pooling. Channel i between them is divided by s_i = sqrt(r1_i /
/// r2_i), where r1_i is the greatest magnitude among the weights that make it and r2_i among those that read it: the
/// first node's weights and bias are divided, the second's weights multiplied, and the model computes what it did, but
/// for rounding. Nagel et al., Data-Free Quantization Through Weight Equalization and Bias Correction (2019), section
/// 4.1; repeated over all pairs until nothing moves. Only where nobody else reads what stands between.
///
/// Clip(0, max) between them, or Clip without a min, does not scale: a channel takes part only if
/// observe_channel_extremes() saw it below max, and grows to no more than 0.9 max on the same samples. Where it was
/// run, no channel is made to reach beyond what the greatest one did, for activations have one scale. It comes before
/// calibrate(): ranges and statistics of values that it rescales are erased.
Pass equalize_weights();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/prepare/equalization.ipp>
#endif
