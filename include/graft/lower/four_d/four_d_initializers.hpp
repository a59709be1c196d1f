#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  Add(x, c), Sub, Mul, Div or Pow, in either order      c: f[K], f[H,W] or f[C,H,W]
// After:   Add(x, c')                                            c': f[1,1,1,K], f[1,1,H,W] or f[1,C,H,W]
//
// Before:  MatMul(x, c)                                          c: f[B,K,N]
// After:   MatMul(x, c')                                         c': f[1,B,K,N]
//
// Before:  Conv(x, c)                                            c: f[K,C], x of rank 4, or not known to be another
// After:   Conv(x, c')                                           c': f[C,K,1,1], c transposed
//
// c is constant. Matrices that MatMul or Gemm read stay matrices: matmul_to_transpose_conv_transpose makes kernels of
// them. So do all that hold no floats, and what other operators read.

namespace graft::inline v1 {

/// The pass that makes constants of lower rank 4-D, where a net computes with them. It looks at each node that reads
/// one: each gets what it wants, and the others keep the constant as it is. The dims of results change by design, if
/// what is computed with is not of rank 4 yet. In bodies too; functions stay as they are.
Pass four_d_initializers();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/four_d_initializers.ipp>
#endif
