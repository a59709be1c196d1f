#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  BatchNormalization(f(x, w, b?), scale, bias, mean, variance)      f: Conv, ConvTranspose or Gemm
// After:   f(x, w', b')        w'[m,...] = w[m,...] * factor[m]    b'[m] = (b[m] - mean[m]) * factor[m] + bias[m]
//                              factor[m] = scale[m] / sqrt(variance[m] + epsilon)
//
// Before:  BatchNormalization(MatMul(x, w), scale, bias, mean, variance)     x: T[R, K], w: T[K, M]
// After:   Add(MatMul(x, w'), b')                                            by the rule bn_into_matmul
//
// m is the output channel that an element of w joins: the first axis of a Conv's w, the second one of a
// ConvTranspose's, within its group, and the columns of the product of matrices. The channels of BatchNormalization are
// the second axis, so that a MatMul of x of another rank does not match.
//
// All but x is constant, one value for each output channel, and finite, and so are w' and b' in the dtype of w. The
// BatchNormalization is in inference: training_mode is 0, and of its outputs there is the first only. b of a Gemm is of
// rank 1, and beta 1. w' and b' are fresh constants: a shared w stays as it is.

namespace graft::inline v1 {

extern const RuleView bn_into_conv;
extern const RuleView bn_into_matmul;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fuse/bn_into_conv.ipp>
#endif
