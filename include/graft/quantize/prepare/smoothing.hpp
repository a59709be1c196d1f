#pragma once
#include <graft/quantize/kernel/target.hpp>
#include <graft/quantize/target/weight_forms.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that moves outliers from activations to weights. For an activation that MatMul and Gemm multiply by a
/// constant matrix, it divides each feature j by s_j, and multiplies row j of the matrix by s_j. The model computes the
/// same except for rounding. s_j = max|X_j|^a / max|W_j|^(1 - a); Xiao et al., SmoothQuant (2022), equation 4. For each
/// activation, the exponent a is the one of 0.3, 0.4 ... 1 with the least expected squared error of the quantized
/// products, for uniform and independent rounding errors.
///
/// If a normalization produces the activation, and there are no other readers, its scale and bias are divided.
/// Otherwise a Mul by 1 / s is inserted before the products, if that reduces the expected error to a third. The Mul
/// stays in float and costs time. All products that read one activation share s. The pass skips products that the
/// target does not quantize, activations without moments, and weights with other readers.
///
/// Needs observe_feature_moments(). Run it before calibrate(): it erases ranges and statistics of the values that it
/// rescales.
Pass smooth_activations(const WeightForms& forms, const Target& target);

}  // namespace graft::inline v1
