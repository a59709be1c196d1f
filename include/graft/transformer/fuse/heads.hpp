#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  Reshape(Transpose(Attention(heads(q), heads(k), heads(v), ...)), [0, 0, heads * size])
//          heads(x): Transpose(Reshape(x, [0, 0, heads, size]))          both Transposes are {perm=[0,2,1,3]}
// After:   Attention(q, k, v, ...) {q_num_heads, kv_num_heads}           of the main domain
//
// The operator splits heads itself: q, k and v are [batch, steps, heads * size], and numbers and sizes of heads are
// known. Nothing else reads the operator or the Transpose; heads(x) stays if it has other readers. Keys and values of a
// cache stay split.
extern const RuleView heads_into_attention;

/// Applies the rule everywhere, and infers types first.
Pass put_heads_into_attention();

// Before:  Reshape(x, [batch * heads, -1, size])
// After:   Reshape(x, [-1, steps, size])
//
// Before:  Reshape(MatMul(Reshape(x, [batch * heads, steps, -1]), Reshape(y, [batch * heads, -1, size])))
// After:   MatMul(x, y)
//
// x is [batch, heads, steps, size]; beside y, [batch, heads, keys, size], it is [batch, heads, steps, keys]. The number
// of heads is known. Nothing else reads elements of the product; the result of the second rule is [..., heads, steps,
// size].
//
// batch * heads is a Mul of values that are known to be these extents. Exporters by tracing write this. Inference knows
// nothing more about the product, so that attention could not identify its operands.
//
// The rules infer types of all dependents again.
extern const RuleView merged_heads;
extern const RuleView products_of_merged_heads;

}  // namespace graft::inline v1
