#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  MatMul(x, w)                             w: f[K,M], constant
//          Gemm(x, w, b?) {alpha, beta, transB}     w: f[K,M], or f[M,K] {transB=1}, constant
// After:   Transpose(Conv(Transpose(x) {perm=[0,3,2,1]}, w', b') {kernel_shape=[1,1]}) {perm=[0,3,2,1]}
//          w': f[M,K,1,1]    alpha is in w', beta in b'
//
// x has rank 4 or unknown rank, and no extent of 0, because runtimes reject a Conv of it. For x of rank 3 or 2, the
// pass adds Unsqueeze(x, [1]) or Unsqueeze(x, [0,1]) in front, and a Squeeze of these axes at the end.
// remove_intermediary_squeezes() removes these once the net is 4-D. A Gemm is of opset 7 or later, and transA is 0. b
// is a constant of one element or of one row of M; if beta is 1, any [M].

/// Replaces products with constant matrices by convolutions. Values change only by the order of sums. Weights with
/// other readers stay; each Conv gets its own copy. Covers bodies, not functions.
Pass matmul_to_transpose_conv_transpose();

}  // namespace graft::inline v1
