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
// c is constant. Matrices that MatMul or Gemm read stay: matmul_to_transpose_conv_transpose makes kernels of them. So
// do constants of integers, and those that other operators read. The leading 1s keep what is broadcast.

namespace graft::inline v1 {

/// The pass that gives constants rank 4 where a net computes with them. It decides for each node that reads one; the
/// others keep the constant as it is. The rank of a result changes by design if the other operand is not of rank 4.
/// Covers bodies, not functions.
Pass four_d_initializers();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/four_d_initializers.ipp>
#endif
