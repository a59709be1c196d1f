#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  Mul(Reciprocal(x), y)       in either order
// After:   Div(y, x)
//
// The Reciprocal stays if it has other readers. Values change by one rounding.
extern const RuleView reciprocal_mul_to_div;

/// Applies the rule everywhere, bodies included.
Pass reciprocal_muls_to_divs();

}  // namespace graft::inline v1
