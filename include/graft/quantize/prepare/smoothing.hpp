#pragma once
#include <graft/quantize/target/target.hpp>
#include <graft/quantize/target/weight_forms.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// The pass that moves outliers from activations to weights: each feature j of what MatMul and Gemm multiply by a
/// constant matrix is divided by s_j, and row j of the matrix multiplied by s_j, so that the model computes what it
/// did, except for rounding. s_j = max|X_j|^a / max|W_j|^(1 - a); Xiao et al., SmoothQuant (2022), equation 4. The
/// exponent a is chosen for each activation: the one of 0.3, 0.4 ... 1 for which the expected squared error of the
/// quantized products is least, where rounding errors are uniform and independent.
///
/// Where a normalization makes the activation, and nobody else reads it, its scale and bias are divided. Else a Mul by
/// 1 / s is inserted before the products, if that reduces the expected error to a third; it stays in float, and has
/// an effect on speed. All products that read one activation share s. Products that the target does not quantize,
/// activations of which no moments are known, and those whose weights others read too stay as they are.
///
/// Needs observe_feature_moments(). It comes before calibrate(): ranges and statistics of values that it rescales are
/// erased.
Pass smooth_activations(const WeightForms& forms, const Target& target);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/prepare/smoothing.ipp>
#endif
