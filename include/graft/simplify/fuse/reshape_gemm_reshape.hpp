#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Reshape(Gemm(Reshape(x), w, b?))
// After:   Add(MatMul(x, w), b), or MatMul(x, w)
//
// x [..., K] is of rank 2 or more; its Reshape makes rows of K, that of the product [..., N] with the dims of x again,
// by known extents or equal symbols. alpha and beta are 1, transA is 0; where transB is 1, w is constant. b has no rows
// of its own. Nothing else reads what stands between. It is not among shrinking_rules(): Gemm adds the bias on its way,
// and its Reshapes cost nothing.

namespace graft::inline v1 {

extern const RuleView reshape_gemm_reshape;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fuse/reshape_gemm_reshape.ipp>
#endif
