#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that equalizes the weights of two consecutive Conv or Gemm. Between them may be operators that scale with
/// their channels: Relu, LeakyRelu, PRelu, pooling. Channel i between them is divided by s_i = sqrt(r1_i / r2_i). r1_i
/// is the greatest magnitude of the weights that produce it, r2_i that of the weights that read it. The weights and
/// bias of the first node are divided, those of the second multiplied, and the model computes the same except for
/// rounding. Nagel et al., Data-Free Quantization Through Weight Equalization and Bias Correction (2019), section 4.1;
/// repeated over all pairs until nothing changes. The values between the two must have no other readers.
///
/// Clip(0, max) and Clip without a min do not scale. With these, a channel takes part only if
/// observe_channel_extremes() saw it below max, and its values on the same samples stay at or below 0.9 max. After
/// observe_channel_extremes(), no channel grows beyond the greatest one, because activations have one scale. Run this
/// before calibrate(): it erases ranges and statistics of the values that it rescales.
Pass equalize_weights();

}  // namespace graft::inline v1
