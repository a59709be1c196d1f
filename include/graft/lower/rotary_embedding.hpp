#pragma once
#include <graft/pattern/arg.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  com.microsoft::RotaryEmbedding(x, positions, cosines, sines) {interleaved, num_heads, rotary_embedding_dim,
//                                                                       scale}
// After:   Concat(a * c - b * s, a * s + b * c, rest)    a and b: the two halves of the rotated elements of each head,
// if
//                                                        interleaved their even and odd elements; rest: the elements
//                                                        beyond rotary_embedding_dim
//                                                        c, s: cosines and sines, gathered by position
//
// x is [batch, heads, steps, head] or [batch, steps, heads * head]. Reshapes split and join the heads of the latter.
// Each head has twice the width of cosines, or there are num_heads of them if rotary_embedding_dim rotates a part of
// each. positions is [batch, steps], or one number, the position of the first step. Ranks are known, and so is the
// width of cosines, half the number of rotated elements. is_packed_batching is 0. Opset 13 or later. A Reshape orders
// interleaved results.
//
// Values stay if scale is 1. Another scale multiplies x, as ONNX Runtime documents it; its CPU kernel ignores it.
extern const RuleView decompose_rotary_embedding;

/// Applies the rule everywhere, bodies included, and infers types first. Removes the import of com.microsoft if nothing
/// uses it then.
Pass decompose_rotary_embeddings();

// Before:  If(condition) {then_branch={cosines, sines}, else_branch={cosines, sines}}, read as caches by
//          GroupQueryAttention or RotaryEmbedding of com.microsoft
// After:   the cosines and sines of one branch
//
// Both branches return constants: a small and a large cache. Their numbers of rows differ, in the same direction for
// all outputs. Nothing else reads them. Values change where the condition would choose the other cache. So either all
// sequences fit the small cache, or all are meant for the large one.
extern const RuleView single_rope_cache;

/// The rule's argument: whether the cache with more rows stays. By default the other one stays.
inline constexpr auto keeps_large_cache = arg<"keeps_large_cache", bool>;

/// Applies the rule everywhere, and removes nodes that only computed the condition.
Pass single_rope_caches(bool large = false);

}  // namespace graft::inline v1
