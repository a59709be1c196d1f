#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  MatMul(x, w)                             w: f[K,M], constant
//          Gemm(x, w, b?) {alpha, beta, transB}     w: f[K,M], or f[M,K] {transB=1}, constant
// After:   Transpose(Conv(Transpose(x) {perm=[0,3,2,1]}, w', b') {kernel_shape=[1,1]}) {perm=[0,3,2,1]}
//          w': f[M,K,1,1]    alpha is in w', beta in b'
//
// x is of rank 4, or of unknown rank, and has no extent of 0, over which runtimes compute no Conv. If x is of rank 3 or
// 2, there are Unsqueeze(x, [1]) or Unsqueeze(x, [0,1]) in front and a Squeeze of these axes behind;
// remove_intermediary_squeezes takes them away once the net is 4-D. Gemm is of opset 7 or newer, and transA is 0; b is
// a constant of one element or of M in a row, or any [M] if beta is 1.

/// The pass that replaces products with constant matrices by convolutions. Values change by the order of sums only.
/// Weights that other nodes read stay as they are; each Conv gets its own. Covers bodies, not functions.
Pass matmul_to_transpose_conv_transpose();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/matmul.ipp>
#endif
