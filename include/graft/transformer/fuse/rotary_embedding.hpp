#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>
#include <graft/transformer/fused_operators.hpp>

// a and b: the halves of the heads of x, which Slices or a Split take
//
// Before:  x * [cos cos] + [-b a] * [sin sin]
//          [(a * cos - b * sin) (a * sin + b * cos)]
// After:   com.microsoft::RotaryEmbedding(x, rows, cosines, sines)
//          RotaryEmbedding(x, cosines, sines)                        of the main domain, since opset 23
//
// a and b: its elements at even and odd positions; pairs: stacked along a new last axis, which a Reshape joins
//
// Before:  pairs(a * cos - b * sin, a * sin + b * cos)
//          x * pairs(cos, cos) + pairs(-b, a) * pairs(sin, sin)
// After:   the same {interleaved=1}
//
// x is of rank 4, with heads of known number and size. cos and sin broadcast to the heads; they have an element for
// each step and pair, known to be as many, and are the same for all batches or have as many.
//
// com.microsoft's operator looks angles up by position. How large positions become is not known, so it is given the
// angles that the graph computes as a table, with a row for each step of each batch, and the numbers of the rows. That
// is exact for any positions, and the cosines are still computed once for all layers. x is [batch, steps, heads *
// size] where a Reshape and Transpose make it of that. Opset 13 or later. Not of empty batches whose angles are their
// own, which ONNX Runtime's kernel refuses; nor, before opset 14, of no steps.
//
// Main-domain RotaryEmbedding of an x of rank 4, without positions, counts as such primitives where the runtime has
// com.microsoft's alone.
// (Su and others 2021.)

namespace graft::inline v1 {

/// What is computed of Concat(f, f) is a Concat of what is computed of f: for Cos, Sin, Cast, Unsqueeze, Gather of
/// rows, and Mul by one element. With it, the rules below see cosines of [f f] as [cos cos]. Only where a sum of two
/// products, as a rotation is, reads the result.
extern const RuleView repeated_halves;
/// Before:  Gather([t t], rows)                 [t t] is constant, and a sum of two products reads the result
/// After:   Concat(Gather(t, rows), the same)
extern const RuleView repeated_table;
extern const RuleView rotary_embedding;
extern const RuleView interleaved_rotary_embedding;
extern const RuleView rotary_embedding_of_parts;
extern const RuleView standard_rotary_embedding;

/// The pass that does this for the operator that the runtime has, com.microsoft's before that of the main domain. Types
/// are inferred first; equal tables become one.
Pass fuse_rotary_embeddings(const FusedOperators& runtime);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/rotary_embedding.ipp>
#endif
