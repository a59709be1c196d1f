#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

// Before:  SimplifiedLayerNormalization(x, w) {axis, epsilon}
// After:   RMSNormalization(x, w) {axis, epsilon}          since opset 23
//          x / Sqrt(ReduceMean(Pow(x, 2)) + epsilon) * w   before
//
// ONNX Runtime runs SimplifiedLayerNormalization in the main domain, which is no operator of the standard: onnx.checker
// refuses the model. In f32 the runtime makes it itself of the primitives when it loads them. The dtypes are known, and
// the rank unless axis is -1. No other output is used. stash_type is its default. Values stay, to rounding.

namespace graft::inline v1 {

extern const RuleView standard_rms_norm;

/// The pass that does so everywhere, in bodies too. Types are inferred first.
Pass standard_rms_norms();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/standard_rms_norm.ipp>
#endif
