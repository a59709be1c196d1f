#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

// Before:  BatchNormalization(x, scale, bias, mean, variance) {epsilon}
// After:   Add(Mul(x, f), b)        f = scale / sqrt(variance + epsilon), b = bias - mean * f, dims [1, C, 1, ...]
//
// In inference, all but x constant, f and b computed in double, finite, and representable in the dtype of scale. x has
// that dtype and a known rank of at least 2. Values stay, to rounding.

namespace graft::inline v1::qonnx {

extern const RuleView batch_norm_to_affine;

/// The pass that does this everywhere, in bodies and functions too.
Pass batch_norms_to_affine();

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/cleanup/batch_norm_to_affine.ipp>
#endif
