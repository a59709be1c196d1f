#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/transformer/fused_operators.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  LayerNormalization(x + y, w, b?)
// After:   com.microsoft::SkipLayerNormalization(x, y, w, b?) {epsilon}
//
// Other readers of the sum read the fourth output, which may be a graph output, too. x is f32 or f16, of rank 2 or 3.
// The last axis is normalized, and w and b have its extent. One summand has the shape of the sum. The other one has it,
// too, or broadcasts as the kernel supports it: [1, S, H] or [S, H] beside [B, S, H]. Extents are equal numbers or
// equal symbols. No other output of the normalization is used. Values stay, to rounding.
extern const RuleView skip_layer_normalization;

// Before:  SimplifiedLayerNormalization(x + y, w), or RMSNormalization
// After:   com.microsoft::SkipSimplifiedLayerNormalization(x, y, w) {epsilon}
//
// The conditions are those of skip_layer_normalization.
extern const RuleView skip_simplified_layer_normalization;

// Before:  s / Sqrt(ReduceMean(s^2) + epsilon) * w, where s = x + y, in the spellings of layer_normalization.hpp
// After:   com.microsoft::SkipSimplifiedLayerNormalization(x, y, w) {epsilon}
//
// The conditions are those of skip_layer_normalization. With Casts around the normalization, which let it run in f32,
// the rule is skip_wide_root_mean_square.
extern const RuleView skip_root_mean_square;
extern const RuleView skip_wide_root_mean_square;

// Before:  com.microsoft::SkipLayerNormalization(x + c, y, w, b?), or (x, y + c, w, b?)
// After:   com.microsoft::SkipLayerNormalization(x, y, w, b?, c)
//
// Before:  com.microsoft::SkipSimplifiedLayerNormalization(x + c, y, w), or (x, y + c, w)
// After:   com.microsoft::SkipSimplifiedLayerNormalization(x, y, w, c)
//
// c is a constant [H], with the last extent H of the other summand. Nothing else reads that sum. Values stay, to
// rounding.
extern const RuleView bias_into_skip_layer_normalization;
extern const RuleView bias_into_skip_simplified_layer_normalization;

/// Applies the rules whose operators the runtime has. Infers types first.
Pass fuse_skip_layer_normalizations(const FusedOperators& runtime);

}  // namespace graft::inline v1
