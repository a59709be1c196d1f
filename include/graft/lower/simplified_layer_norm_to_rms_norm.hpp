#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

// Before:  SimplifiedLayerNormalization(x, w) {axis, epsilon}
// After:   x / Sqrt(ReduceMean(Pow(x, 2)) + epsilon) * w
//
// Before:  com.microsoft::SkipSimplifiedLayerNormalization(x, skip, w, bias?) {epsilon}
// After:   the same of sum = x + skip + bias, its fourth output too
//
// RMSNormalization is treated as SimplifiedLayerNormalization, which it is under a later name. The mean is over the
// axes from `axis` on, which it keeps; unless axis is -1, the rank is known. f16 and bf16 are computed in f32, as the
// operators do, with Casts around. The dtypes are known. No other output is used. stash_type is its default. Opset 7 or
// later. Values stay, to rounding.
//
// For runtimes without these operators; at opset 23 and later RMSNormalization would be another way.

namespace graft::inline v1 {

extern const RuleView simplified_layer_norm_to_rms_norm;
extern const RuleView skip_simplified_layer_norm_to_rms_norm;

/// The pass that does both everywhere, in bodies too. Types are inferred first. An import of com.microsoft that nothing
/// uses any more goes.
Pass simplified_layer_norms_to_rms_norms();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/simplified_layer_norm_to_rms_norm.ipp>
#endif
