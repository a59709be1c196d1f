#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  LayerNormalization(x, w, b?) {axis, epsilon}
// After:   d / Sqrt(ReduceMean(Pow(d, 2)) + epsilon) * w + b           d = x - ReduceMean(x)
//
// The means are over the axes from `axis` on, and keep them; the rank is known unless axis is -1. f16 and bf16 are
// computed in f32, as in the operator, with Casts around. The dtypes are known. The mean and the reciprocal deviation
// may be used. stash_type is the default. Opset 7 or later. Values stay, to rounding.
extern const RuleView decompose_layer_normalization;

// Before:  com.microsoft::SkipLayerNormalization(x, skip, w, b?, c?) {epsilon}
// After:   the same with sum = x + skip + c for x; sum is the fourth output, too
//
// The conditions are as above, but the mean and the reciprocal deviation are unused.
extern const RuleView decompose_skip_layer_normalization;

/// Applies both rules everywhere, bodies included, and infers types first. Removes the import of com.microsoft if
/// nothing uses it then.
Pass decompose_layer_normalizations();

// Before:  com.microsoft::EmbedLayerNormalization(ids, types?, words, places, segments?, w, b, mask?, positions?)
// After:   d / Sqrt(ReduceMean(Pow(d, 2)) + epsilon) * w + b      d = sum - ReduceMean(sum)
//                                                                sum = Gather(words, ids) + Gather(places, positions)
//                                                                      + Gather(segments, types), its third output too
//
// Absent positions are 0, 1 ... S-1: a constant, or Range(0, Shape(ids)[1], 1). mask_index is unused. ids has rank 2,
// and the dtype of the tables is known. Opset 11 or later. f16 is computed in f32, with Casts around. Values stay, to
// rounding.
extern const RuleView decompose_embed_layer_normalization;

/// Applies the rule everywhere, bodies included, and infers types first. Removes the import of com.microsoft if nothing
/// uses it then.
Pass decompose_embed_layer_normalizations();

}  // namespace graft::inline v1
