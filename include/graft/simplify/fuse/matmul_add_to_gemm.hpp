#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Add(MatMul(x, y), addend)     in either order
// After:   Gemm(x, y, addend)
//
// x and y are matrices of a dtype that Gemm has at the graph's opset, 7 or later. addend broadcasts to the product, and
// the product not to the addend: by known extents or equal symbols.
//
// Before:  Add(MatMul(x, w), b)          in either order
// After:   Reshape(Gemm(Reshape(x, [-1, K]), w, b), [..., N])
//
// x [..., K] is of rank 3 or more, of known extents, none of them 0; w [K, N] and b [N] are constant.

namespace graft::inline v1 {

extern const RuleView batched_matmul_add_to_gemm;
extern const RuleView matmul_add_to_gemm;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fuse/matmul_add_to_gemm.ipp>
#endif
