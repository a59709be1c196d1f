#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  f(BatchNormalization(x, scale, bias, mean, variance), w, b?)      f: Conv or Gemm
// After:   f(x, w', b')     w'[m,i,...] = w[m,i,...] * factor[i]
//                           b'[m] = b[m] + the sum over i,... of w[m,i,...] * (bias[i] - mean[i] * factor[i])
//                           factor[i] = scale[i] / sqrt(variance[i] + epsilon)
//
// All but x is constant, and finite, and so are w' and b' in the dtype of w. The BatchNormalization is in inference:
// training_mode is 0, and of its outputs there is the first only. A Conv pads nothing: nothing is added to padding. Of
// a Gemm beta is 1 and transA 0; its alpha multiplies the sum.

namespace graft::inline v1 {

extern const RuleView bn_before_conv;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fuse/bn_before_conv.ipp>
#endif
