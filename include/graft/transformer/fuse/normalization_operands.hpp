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
// w and b have the normalized extents, which are known or equal symbols. Constants may have leading axes of extent 1,
// or one element. ones is a constant of ones.
//
// Before:  Cast(N(Cast(x), w, b?))           x is f16; the first Cast is to f32, the last one back
// After:   N(x, w', b'?)                     by narrow_normalization
//
// w and b are constants that f16 represents exactly. The operators compute in f32 themselves. Casts of bf16 stay,
// because runtimes have few kernels of bf16.
//
// Values stay, to rounding: the order of adding scale and bias and of rounding changes.

namespace graft::inline v1 {

extern const RuleView scale_into_normalization;
extern const RuleView bias_into_layer_normalization;
extern const RuleView narrow_normalization;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/normalization_operands.ipp>
#endif
