#pragma once

namespace graft::inline v1 {

struct RuleView;

// Before:  Concat(RotaryEmbedding(a, rows, cosines, sines), b) {axis=-1}
// After:   RotaryEmbedding(x, rows, cosines, sines) {num_heads, rotary_embedding_dim}
//
// Slices or a Split take a and b, the first elements of the heads of x and the rest. x is [batch, heads, steps, size]
// with known heads and size. RotaryEmbedding is com.microsoft's or the main domain's, and a has rank 4. If a Reshape
// and Transpose make x from [batch, steps, heads * size], com.microsoft's operator reads that. GPT-NeoX and Phi rotate
// a part of their heads in this way.
extern const RuleView partial_rotary_embedding;

}  // namespace graft::inline v1
