#pragma once

namespace graft::inline v1 {

struct RuleView;

// Before:  Add(Expand(x, Shape(y)), y)        or any other operator that broadcasts all its operands: Where, Mul, ...;
//                                             the Expand may be any of them
// After:   Add(x, y)
//
// Each extent of the Expand's target is 1 or the other operand's extent. The target is the Shape of that operand, or
// its elements are known to be those extents, as numbers or symbols. Opset 8 or later. The Expand may have other
// readers.
extern const RuleView broadcast_expand;

}  // namespace graft::inline v1
