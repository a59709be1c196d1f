#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  LayerNormalization(x, w, b?) {axis, epsilon}
// After:   d / Sqrt(ReduceMean(Pow(d, 2)) + epsilon) * w + b           d = x - ReduceMean(x)
//
// Before:  com.microsoft::SkipLayerNormalization(x, skip, w, b?, c?) {epsilon}
// After:   the same of sum = x + skip + c, its fourth output too
//
// The means are over the axes from `axis` on, which they keep; unless axis is -1, the rank is known. f16 and bf16 are
// computed in f32, as the operator does, with Casts around. The dtypes are known. The mean and the reciprocal deviation
// of LayerNormalization may be used, those of SkipLayerNormalization not. stash_type is its default. Opset 7 or later.
// Values stay, to rounding.
extern const RuleView decompose_layer_normalization;
extern const RuleView decompose_skip_layer_normalization;

/// The pass that does both everywhere, in bodies too. Types are inferred first. An import of com.microsoft that nothing
/// uses any more goes.
Pass decompose_layer_normalizations();

// Before:  com.microsoft::EmbedLayerNormalization(ids, types?, words, places, segments?, w, b, mask?, positions?)
// After:   d / Sqrt(ReduceMean(Pow(d, 2)) + epsilon) * w + b      d = sum - ReduceMean(sum)
//                                                                sum = Gather(words, ids) + Gather(places, positions)
//                                                                      + Gather(segments, types), its third output too
//
// Without positions they are 0, 1 ... S-1: a constant, or Range(0, Shape(ids)[1], 1). mask_index is unused. ids is of
// rank 2, and the dtype of the tables is known. Opset 11 or later. f16 is computed in f32, with Casts around. Values
// stay, to rounding.
extern const RuleView decompose_embed_layer_normalization;

/// The pass that does this everywhere, in bodies too. Types are inferred first. An import of com.microsoft that nothing
/// uses any more goes.
Pass decompose_embed_layer_normalizations();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/layer_normalization.ipp>
#endif
