#pragma once

namespace graft::inline v1 {

struct RuleView;

// Before:  Conv(Pad(x, p), w, b?) {pads}
// After:   Conv(x, w, b?) {pads + p}
//
// p is constant, pads spatial axes only, crops none, and fills with 0. The auto_pad of the Conv is NOTSET or VALID.
extern const RuleView pad_into_conv;

// Before:  f(Add(x, c), w, b?), the summands in either order, or f(Sub(x, c), w, b?)      f: Conv or Gemm
// After:   f(x, w, b')             b'[m] = b[m] + alpha * the sum over i,... of w[m,i,...] * c[i]      or b[m] - ...
//
// w, b and c are constant floats. c has one value for all input channels, or one for each. Its rank is at most that of
// x, and its extents are 1 along every axis except the second. x has as many channels as f reads, unless c is one
// value. A Conv has no padding, because c is not added to padding. b' is finite in its dtype. A Gemm has beta 1 and
// transA 0.
extern const RuleView add_before_conv;

// Before:  f(Mul(x, c), w, b?), the factors in either order, or f(Div(x, c), w, b?)      f: Conv or Gemm
// After:   f(x, w', b?)             w'[m,i,...] = w[m,i,...] * c[i]      or / c[i], i counted through the groups
//
// w, b and c are constant floats, and c, x and a Gemm are as add_before_conv requires. A Conv may have padding: it is
// 0, multiplied or not. w' is finite in its dtype, and a fresh constant: a shared w stays as it is. The factor is not
// part of a Gelu, x * (1 + Erf(...)) * 0.5, which runtimes fuse as a whole.
extern const RuleView mul_before_conv;

// Before:  f(BatchNormalization(x, scale, bias, mean, variance), w, b?)      f: Conv or Gemm
// After:   f(x, w', b')     w'[m,i,...] = w[m,i,...] * factor[i]
//                           b'[m] = b[m] + the sum over i,... of w[m,i,...] * (bias[i] - mean[i] * factor[i])
//                           factor[i] = scale[i] / sqrt(variance[i] + epsilon)
//
// All inputs except x are constant and finite; w' and b' are finite in the dtype of w. The BatchNormalization is in
// inference: training_mode is 0, and it has one output. A Conv has no padding, because nothing is added to padding. A
// Gemm has beta 1 and transA 0; its alpha multiplies the sum.
extern const RuleView bn_before_conv;

}  // namespace graft::inline v1
