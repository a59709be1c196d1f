#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Concat(RotaryEmbedding(a, rows, cosines, sines), b) {axis=-1}
// After:   RotaryEmbedding(x, rows, cosines, sines) {num_heads, rotary_embedding_dim}
//
// a and b: the first elements of the heads of x and the rest, which Slices or a Split take. x is [batch, heads, steps,
// size] with heads and size known. RotaryEmbedding is com.microsoft's or the main domain's, of a of rank 4.
// com.microsoft's reads [batch, steps, heads * size] where a Reshape and Transpose make x of that. This is how GPT-NeoX
// and Phi turn a part of their heads.

namespace graft::inline v1 {

extern const RuleView partial_rotary_embedding;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/partial_rotary_embedding.ipp>
#endif
