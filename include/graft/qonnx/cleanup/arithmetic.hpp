#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {
struct RuleView;
}

namespace graft::inline v1::qonnx {

// Before:  BatchNormalization(x, scale, bias, mean, variance) {epsilon}
// After:   Add(Mul(x, f), b)        f = scale / sqrt(variance + epsilon), b = bias - mean * f, dims [1, C, 1, ...]
//
// In inference mode. All inputs except x are constant. f and b are computed in double, are finite, and fit the dtype of
// scale. x has that dtype and a known rank of at least 2. Values change by rounding only.
extern const RuleView batch_norm_to_affine;

/// The pass that does this everywhere, in bodies and functions too.
Pass batch_norms_to_affine();

// Before:  Div(x, c)          c constant, of floats
// After:   Mul(x, 1 / c)
//
// div_to_mul: every element of c is a power of two, positive or negative, and 1 / c is a normal number. Exact: the same
// bits.
//
// div_to_mul_rounded: any c for which 1 / c is finite. Values change by the rounding of 1 / c, about one unit in the
// last place of the result. That changes the result of a later quantizer at ties.
extern const RuleView div_to_mul;
extern const RuleView div_to_mul_rounded;

/// The pass that applies div_to_mul everywhere, in bodies and functions too; and div_to_mul_rounded if values may
/// change.
Pass divs_to_muls(bool exact = true);

// Before:  Sub(x, c)          c constant, of floats or signed integers
// After:   Add(x, -c)
//
// Exact: the same bits. Makes a new constant, because the old one may have other readers.
extern const RuleView sub_to_add;

/// The pass that does this everywhere, in bodies and functions too.
Pass subs_to_adds();

// Before:  Conv(x, w, b)            or ConvTranspose
// After:   Add(Conv(x, w), b')      b': b with dims [1, M, 1, ...]
//
// The rank is that of w or of the result. A constant b becomes a constant b'. If b is the output of a quantizer of
// constants (Quant, BipolarQuant, DequantizeLinear of one scale, ...), the quantizer is copied over reshaped constants;
// any other b gets a Reshape. Other readers of b keep it. Values change by the rounding of the sum only: the bias is
// added last.

/// The pass that does this everywhere, in bodies and functions too. Its refusals name the nodes of unknown rank.
Pass extract_bias();

}  // namespace graft::inline v1::qonnx
