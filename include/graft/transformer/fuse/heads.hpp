#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  Reshape(Transpose(Attention(heads(q), heads(k), heads(v), ...)), [0, 0, heads * size])
//          heads(x): Transpose(Reshape(x, [0, 0, heads, size]))          both Transposes are {perm=[0,2,1,3]}
// After:   Attention(q, k, v, ...) {q_num_heads, kv_num_heads}           of the main domain
//
// The operator takes heads apart itself: q, k and v are [batch, steps, heads * size], and numbers and sizes of heads
// are known. Nothing else reads the operator or the Transpose; other readers of heads(x) keep that. Keys and values of
// a cache stay apart.
extern const RuleView heads_into_attention;

/// The pass that does this everywhere. Types are inferred first.
Pass put_heads_into_attention();

// Before:  Reshape(x, [batch * heads, -1, size])
// After:   Reshape(x, [-1, steps, size])
//
// Before:  Reshape(MatMul(Reshape(x, [batch * heads, steps, -1]), Reshape(y, [batch * heads, -1, size])))
// After:   MatMul(x, y)
//
// x is [batch, heads, steps, size], or [batch, heads, steps, keys] beside y, [batch, heads, keys, size], with a known
// number of heads. Nothing else reads elements of the product. batch * heads is a Mul of what is known to be these
// extents, as exporters by tracing write it: of the product no more is known than that, so that attention would not
// see what its operands are. The result of the second is [..., heads, steps, size].
//
// Types of what is computed of the results are inferred again.
extern const RuleView merged_heads;
extern const RuleView products_of_merged_heads;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/heads.ipp>
#endif
