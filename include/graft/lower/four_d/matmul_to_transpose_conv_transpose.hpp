#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  MatMul(x, w)                             w: f[K,M], constant
//          Gemm(x, w, b?) {alpha, beta, transB}     w: f[K,M], or f[M,K] {transB=1}, constant
// After:   Transpose(Conv(Transpose(x) {perm=[0,3,2,1]}, w', b') {kernel_shape=[1,1]}) {perm=[0,3,2,1]}
//          w': f[M,K,1,1]    alpha is in w', beta in b'
//
// x is of rank 4, or its rank cannot be told: a surgery has made it 4-D. Where x is of rank 3 or 2, Unsqueeze(x, [1])
// or Unsqueeze(x, [0,1]) stands for it, and a Squeeze of the same axes behind; four_d_model_inputs and
// remove_intermediary_squeezes take these away. Gemm does not transpose x, since opset 7; b is constant, of one element
// or one for each of M in a row, or not constant and of [M] with beta 1.

namespace graft::inline v1 {

/// The pass that makes convolutions of products with constant matrices. Values change by the order of sums only.
/// Weights that others read stay, and each Conv gets its own. In bodies too; functions stay as they are.
Pass matmul_to_transpose_conv_transpose();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/matmul_to_transpose_conv_transpose.ipp>
#endif
