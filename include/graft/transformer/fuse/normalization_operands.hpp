#pragma once
#include <graft/rewrite/rule_view.hpp>

// N is LayerNormalization, SimplifiedLayerNormalization or RMSNormalization.
//
// Before:  N(x, ones) * w                    in either order
// After:   N(x, w)                           by scale_into_normalization
//
// Before:  LayerNormalization(x, w) + b      in either order
// After:   LayerNormalization(x, w, b)       by bias_into_layer_normalization
//
// w and b are of the extents that are normalized, which are known or equal symbols; constants may have leading axes of
// extent 1, or one element alone. ones is a constant of ones.
//
// Before:  Cast(N(Cast(x), w, b?))           x is f16; the first Cast is to f32, the last one back
// After:   N(x, w', b'?)                     by narrow_normalization
//
// w and b are constants that f16 represents exactly. The operators compute in f32 themselves. Runtimes have few kernels
// of bf16, whose Casts stay.
//
// Values stay, to rounding: scale and bias are added before a sum is rounded, or after.

namespace graft::inline v1 {

extern const RuleView scale_into_normalization;
extern const RuleView bias_into_layer_normalization;
extern const RuleView narrow_normalization;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/normalization_operands.ipp>
#endif
