#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/transformer/fused_operators.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  LayerNormalization(Gather(words, ids) + Gather(places, positions) + Gather(segments, types)?, w, b?)
// After:   com.microsoft::EmbedLayerNormalization(ids, types?, words, places, segments?, w, b, , positions?) {epsilon}
//
// Two or three summands in any order. The tables are constants [*, H] of f32 or f16; w and b have extent H. One of the
// indices, ids, is [B, S] by known extents or symbols. So are all others, except that positions may be [1, S]. A Cast
// turns all of them into i32 if necessary.
//
// positions are omitted if they count 0, 1 ... S-1: a constant, Range(0, S, 1), or Slice([0, 1 ... P-1], 0, S) with P >
// 1, possibly expanded. S is at most P, because longer ones cannot be added. For constant S, the places may be a
// constant [1, S, H] or [S, H] without a Gather.
//
// If the indices of several Gathers are [B, S], ids are those of the largest table: the order does not matter. Other
// readers of the sum read the third output. The kernel requires the second one, mask_index, which is unused.
//
// Values stay, to rounding. Indices that count from the back become an error.
extern const RuleView embed_layer_normalization;

/// Applies the rule everywhere, if the runtime has the operator. Infers types first.
Pass fuse_embed_layer_normalizations(const FusedOperators& runtime);

}  // namespace graft::inline v1
