#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Gemm(x, w, b) {beta}
// After:   Gemm(x, w, b') {beta=1}     b'[n] = beta * b[n], or beta * b[0] where b holds one value
//
// w [K, N], or [N, K] with transB, and b are constant, b of a float dtype, and every row of the product has the same
// addend: b is of dims [N], [1, N], [1, 1], [1] or []. beta * b is
// finite in the dtype of b. This is the only form that integer kernels take.

namespace graft::inline v1 {

extern const RuleView gemm_bias;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fuse/gemm_bias.ipp>
#endif
