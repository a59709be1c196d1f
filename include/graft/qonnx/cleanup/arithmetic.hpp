#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1::qonnx {

// Before:  BatchNormalization(x, scale, bias, mean, variance) {epsilon}
// After:   Add(Mul(x, f), b)        f = scale / sqrt(variance + epsilon), b = bias - mean * f, dims [1, C, 1, ...]
//
// In inference, all but x constant, f and b computed in double, finite, and representable in the dtype of scale. x has
// that dtype and a known rank of at least 2. Values stay, to rounding.
extern const RuleView batch_norm_to_affine;

/// The pass that does this everywhere, in bodies and functions too.
Pass batch_norms_to_affine();

// Before:  Div(x, c)          c constant, of floats
// After:   Mul(x, 1 / c)
//
// div_to_mul: every element of c is a power of two, positive or negative, and 1 / c is a normal number. Exact: the same
// bits.
//
// div_to_mul_rounded: any c that 1 / c is finite for. Values change by the rounding of 1 / c, about one unit in the
// last place of the result, which matters where a quantizer behind it has a tie.
extern const RuleView div_to_mul;
extern const RuleView div_to_mul_rounded;

/// The pass that does the first everywhere, in bodies and functions too; and the second if values may change.
Pass divs_to_muls(bool exact = true);

// Before:  Sub(x, c)          c constant, of floats or signed integers
// After:   Add(x, -c)
//
// Exact: the same bits. A new constant, never an edit of one that others read.
extern const RuleView sub_to_add;

/// The pass that does this everywhere, in bodies and functions too.
Pass subs_to_adds();

// Before:  Conv(x, w, b)            or ConvTranspose
// After:   Add(Conv(x, w), b')      b': b with dims [1, M, 1, ...]
//
// The rank is that of w or of the result. A constant b becomes a constant b'. Where a quantizer of constants (Quant,
// BipolarQuant, DequantizeLinear of one scale, ...) makes b, that is done again over reshaped constants; anything else
// is reshaped by a Reshape. Others that read b keep it. Values stay, to the rounding of the sum: the bias is added
// last.

/// The pass that does this everywhere, in bodies and functions too. Its refusals name the nodes whose rank is not
/// known.
Pass extract_bias();

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/cleanup/arithmetic.ipp>
#endif
