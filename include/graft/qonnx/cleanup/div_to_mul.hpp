#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

// Before:  Div(x, c)          c constant, of floats
// After:   Mul(x, 1 / c)
//
// div_to_mul: every element of c is a power of two, positive or negative, and 1 / c is a normal number. Exact: the same
// bits.
//
// div_to_mul_rounded: any c that 1 / c is finite for. Values change by the rounding of 1 / c, about one unit in the
// last place of the result, which matters where a quantizer behind it has a tie.

namespace graft::inline v1::qonnx {

extern const RuleView div_to_mul;
extern const RuleView div_to_mul_rounded;

/// The pass that does the first everywhere, in bodies and functions too; and the second if values may change.
Pass divs_to_muls(bool exact = true);

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/cleanup/div_to_mul.ipp>
#endif
