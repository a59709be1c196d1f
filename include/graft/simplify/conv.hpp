#pragma once
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  Conv(Pad(x, p), w, b?) {pads}
// After:   Conv(x, w, b?) {pads + p}
//
// p is constant, pads spatial axes only, crops none, and fills with 0. The Conv's auto_pad is NOTSET or VALID.
extern const RuleView pad_into_conv;

// Before:  f(Add(x, c), w, b?), the summands in either order, or f(Sub(x, c), w, b?)      f: Conv or Gemm
// After:   f(x, w, b')             b'[m] = b[m] + alpha * the sum over i,... of w[m,i,...] * c[i]      or b[m] - ...
//
// w, b and c are constant floats; c is one value for all input channels or one for each: of at most the rank of x, and
// 1 along every axis but the second. x has as many channels as f reads, or c is one value. A Conv pads nothing: c is
// not added to padding. b' is finite in its dtype. Of a Gemm beta is 1 and transA 0.
extern const RuleView add_before_conv;

// Before:  f(Mul(x, c), w, b?), the factors in either order, or f(Div(x, c), w, b?)      f: Conv or Gemm
// After:   f(x, w', b?)             w'[m,i,...] = w[m,i,...] * c[i]      or / c[i], i counted through the groups
//
// w, b and c are constant floats; c is one value for all input channels or one for each: of at most the rank of x, and
// 1 along every axis but the second. x has as many channels as f reads, or c is one value. w' is finite in its dtype,
// and fresh: a shared w stays as it is. Of a Gemm beta is 1 and transA 0. Padding is 0, multiplied or not. The
// factor is not that of a Gelu, x * (1 + Erf(...)) * 0.5, which runtimes fuse as a whole.
extern const RuleView mul_before_conv;

// Before:  f(BatchNormalization(x, scale, bias, mean, variance), w, b?)      f: Conv or Gemm
// After:   f(x, w', b')     w'[m,i,...] = w[m,i,...] * factor[i]
//                           b'[m] = b[m] + the sum over i,... of w[m,i,...] * (bias[i] - mean[i] * factor[i])
//                           factor[i] = scale[i] / sqrt(variance[i] + epsilon)
//
// All but x is constant, and finite, and so are w' and b' in the dtype of w. The BatchNormalization is in inference:
// training_mode is 0, and of its outputs there is the first only. A Conv pads nothing: nothing is added to padding. Of
// a Gemm beta is 1 and transA 0; its alpha multiplies the sum.
extern const RuleView bn_before_conv;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/conv.ipp>
#endif
