#pragma once
#include <graft/rewrite/rule_view.hpp>

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

namespace graft::inline v1 {

extern const RuleView merged_heads;
extern const RuleView products_of_merged_heads;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/merged_heads.ipp>
#endif
