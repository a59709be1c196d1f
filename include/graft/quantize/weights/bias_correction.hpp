#pragma once
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/target/weight_forms.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that corrects every bias for the mean error of rounded weights: b - sum((W' - W) E[x]). W' is the weight as
/// quantize_weights() with the same arguments will store it, and E[x] the means of the input's channels. An absent bias
/// counts as 0. Padding is neglected. Nagel et al., Data-Free Quantization Through Weight Equalization and Bias
/// Correction (2019), section 4.2.
///
/// The bias of a MatMul is the constant vector of the Add, BiasGelu or SkipLayerNormalization that is its only reader.
/// Its means are those of observe_feature_moments(). Without such a reader or without means, it is not corrected. A
/// Gemm or MatMul is corrected only if its input is quantized, or if ProductForms makes it dynamic.
///
/// Run the pass after inject_qdq(), so that biases of operators in float do not change, and before quantize_dynamic()
/// and quantize_weights(). Throws Error naming a weight with a value that is not finite.
Pass correct_biases(const WeightForms& forms, const Target& target);

}  // namespace graft::inline v1
