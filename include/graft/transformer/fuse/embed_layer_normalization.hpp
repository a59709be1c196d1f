#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>
#include <graft/transformer/fused_operators.hpp>

// Before:  LayerNormalization(Gather(words, ids) + Gather(places, positions) + Gather(segments, types)?, w, b?)
// After:   com.microsoft::EmbedLayerNormalization(ids, types?, words, places, segments?, w, b, , positions?) {epsilon}
//
// Two or three summands in any order. The tables are constants [*, H] of f32 or f16; w and b are of extent H. One of
// the indices, ids, is [B, S] by known extents or symbols, and so are all others, but that positions may be [1, S]. All
// of them become i32 by a Cast, where they are not.
//
// positions is left out where it counts 0, 1 ... S-1: a constant, Range(0, S, 1), or Slice([0, 1 ... P-1], 0, S) with
// P > 1, whatever Expand makes of them. That S is at most P follows: longer ones do not add up. For constant S, the
// places may stand there themselves, as a constant [1, S, H] or [S, H].
//
// Where the indices of several Gathers are [B, S], those of the largest table are ids: the order does not matter. Other
// readers of the sum read the third output. The kernel requires the second one, mask_index, which is unused.
//
// Values stay, to rounding, except for indices that count from the back, which are an error afterwards.

namespace graft::inline v1 {

extern const RuleView embed_layer_normalization;

/// The pass that does this everywhere, if the runtime has the operator. Types are inferred first.
Pass fuse_embed_layer_normalizations(const FusedOperators& runtime);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/embed_layer_normalization.ipp>
#endif
