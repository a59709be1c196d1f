#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/transformer/fused_operators.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  f(Concat(h, h))                      f: Cos, Sin, Cast, Unsqueeze, Gather of rows, Mul by one element
// After:   Concat(f(h), the same)
//
// The rules below then see cosines of [h h] as [cos cos]. A sum of two products, such as a rotation, reads the result.
extern const RuleView repeated_halves;

// Before:  Gather([t t], rows)                 [t t] is constant, and a sum of two products reads the result
// After:   Concat(Gather(t, rows), the same)
extern const RuleView repeated_table;

// Before:  x * [cos cos] + [-b a] * [sin sin]                        by rotary_embedding
//          [(a * cos - b * sin) (a * sin + b * cos)]                 by rotary_embedding_of_parts
//          a and b: the halves of the heads of x, taken by Slices or a Split
// After:   com.microsoft::RotaryEmbedding(x, rows, cosines, sines)
//          RotaryEmbedding(x, cosines, sines)                        of the main domain, since opset 23
//
// Before:  x * pairs(cos, cos) + pairs(-b, a) * pairs(sin, sin)      by interleaved_rotary_embedding
//          pairs(a * cos - b * sin, a * sin + b * cos)               by rotary_embedding_of_parts
//          a and b: the elements of x at even and odd positions; pairs: stacked along a new last axis, which a Reshape
//          joins
// After:   the same {interleaved=1}
//
// x has rank 4, and heads of known number and size. cos and sin broadcast to the heads. They are known to have one
// element for each step and pair. They are the same for all batches, or have as many batches. (Su and others 2021.)
//
// com.microsoft's operator looks up angles by position. The greatest position is unknown. So its table has the angles
// that the graph computes, with a row for each step of each batch, and positions are the numbers of these rows. This is
// exact for any positions, and the cosines are still computed once for all layers. If a Reshape and Transpose make x
// from [batch, steps, heads * size], the operator reads that. Opset 13 or later. Not supported: empty batches with
// angles of their own, which ONNX Runtime's kernel rejects, and before opset 14 empty sequences.
extern const RuleView rotary_embedding;
extern const RuleView interleaved_rotary_embedding;
extern const RuleView rotary_embedding_of_parts;

// Before:  RotaryEmbedding(x, cosines, sines)                        of the main domain
// After:   com.microsoft::RotaryEmbedding(x, rows, cosines, sines)
//
// x has rank 4, and there are no positions. The runtime has only com.microsoft's operator. Other conditions are those
// of rotary_embedding.
extern const RuleView standard_rotary_embedding;

/// Applies these rules for the operator of the runtime, com.microsoft's before that of the main domain. Infers types
/// first, and joins equal tables.
Pass fuse_rotary_embeddings(const FusedOperators& runtime);

}  // namespace graft::inline v1
