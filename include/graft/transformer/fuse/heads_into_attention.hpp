#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

// Before:  Reshape(Transpose(Attention(heads(q), heads(k), heads(v), ...)), [0, 0, heads * size])
//          heads(x): Transpose(Reshape(x, [0, 0, heads, size]))          both Transposes are {perm=[0,2,1,3]}
// After:   Attention(q, k, v, ...) {q_num_heads, kv_num_heads}           of the main domain
//
// The operator takes heads apart itself: q, k and v are [batch, steps, heads * size], and numbers and sizes of heads
// are known. Nothing else reads the operator or the Transpose; other readers of heads(x) keep that. Keys and values of
// a cache stay apart.

namespace graft::inline v1 {

extern const RuleView heads_into_attention;

/// The pass that does this everywhere. Types are inferred first.
Pass put_heads_into_attention();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/heads_into_attention.ipp>
#endif
