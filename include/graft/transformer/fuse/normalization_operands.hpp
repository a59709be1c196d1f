#pragma once

namespace graft::inline v1 {

struct RuleView;

// N is LayerNormalization, SimplifiedLayerNormalization or RMSNormalization in these rules. Values stay, to rounding:
// the order of adding scale and bias and of rounding changes.

// Before:  N(x, ones) * w                    in either order
// After:   N(x, w)
//
// w has the normalized extents, which are known or equal symbols. Constants may have leading axes of extent 1, or one
// element. ones is a constant of ones.
extern const RuleView scale_into_normalization;

// Before:  LayerNormalization(x, w) + b      in either order
// After:   LayerNormalization(x, w, b)
//
// The extents of b are as scale_into_normalization requires them of w.
extern const RuleView bias_into_layer_normalization;

// Before:  Cast(N(Cast(x), w, b?))           x is f16; the first Cast is to f32, the last one back
// After:   N(x, w', b'?)
//
// w and b are constants that f16 represents exactly. The operators compute in f32 themselves. Casts of bf16 stay,
// because runtimes have few kernels of bf16.
extern const RuleView narrow_normalization;

}  // namespace graft::inline v1
