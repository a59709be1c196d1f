#pragma once
#include <graft/quantize/target/target.hpp>
#include <graft/quantize/target/weight_forms.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that takes from every bias what quantize_weights() with the same arguments, which comes later, will add to
/// the output on average: b - sum((W' - W) E[x]), where W' is the weight as it is stored and E[x] the means of the
/// input's channels; a bias that is absent is taken for 0. Padding is neglected. Comes behind inject_qdq(), which tells
/// what it leaves in float, as min_cost does: in front of it the biases of those would be shifted too. Nagel et al.,
/// Data-Free Quantization Through Weight Equalization and Bias Correction (2019), section 4.2. Of Gemm only those whose
/// input is quantized. Throws Error naming a weight that holds a value which is not finite.
Pass correct_biases(const WeightForms& forms, const Target& target);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/weights/bias_correction.ipp>
#endif
