#pragma once
#include <graft/pattern/arg.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  com.microsoft::RotaryEmbedding(x, positions, cosines, sines) {interleaved, num_heads, rotary_embedding_dim,
//                                                                       scale}
// After:   Concat(a * c - b * s, a * s + b * c, rest)    a and b: the two halves of the first elements of each head,
//                                                        or every other of them if they are interleaved; rest: those
//                                                        beyond rotary_embedding_dim
//                                                        c, s: cosines and sines, gathered by position
//
// x is [batch, heads, steps, head] or [batch, steps, heads * head]. The heads of the latter, which Reshapes take apart
// and put together again, are twice as large as a row of cosines or, where rotary_embedding_dim says that a part of
// them is turned, num_heads many. positions is [batch, steps], or one number: that of the first step. Ranks are
// known, as is the length of a row of cosines, which is half of what is turned. is_packed_batching is 0. Opset 13 or
// later. Interleaved results are put in order by a Reshape.
//
// Values stay where scale is 1. Another scale multiplies x, as ONNX Runtime documents it; its CPU kernel ignores it.
extern const RuleView decompose_rotary_embedding;

/// The pass that does this everywhere, in bodies too. Types are inferred first. An import of com.microsoft that nothing
/// uses any more goes.
Pass decompose_rotary_embeddings();

// Before:  If(condition) {then_branch={cosines, sines}, else_branch={cosines, sines}}, read as caches by
//          GroupQueryAttention or RotaryEmbedding of com.microsoft
// After:   the cosines and sines of one branch
//
// Both branches give constants, whose numbers of rows differ, the same way for all outputs: a small and a large cache.
// Nothing else reads them. Values change where the condition would choose the other one: sequences must then be as
// short as the small cache is long, or be meant for the large one throughout.
extern const RuleView single_rope_cache;

/// The rule's argument: whether the cache with more rows stays. If it is not given, the other one does.
inline constexpr auto keeps_large_cache = arg<"keeps_large_cache", bool>;

/// The pass that does this everywhere. What only the condition needed goes.
Pass single_rope_caches(bool large = false);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/rotary_embedding.ipp>
#endif
