#pragma once

namespace graft::inline v1 {

struct RuleView;

// Before:  Concat(left..., Concat(middle...), right...)
// After:   Concat(left..., middle..., right...)
//
// Both have the same axis, which may be counted from either end. Nothing else reads the inner Concat. The outer one may
// read it several times if it then has at most 16 operands: in a chain of Concat(h, h) they would double at each link.
extern const RuleView concat_concat;

// Before:  Concat(left..., x, right...)
// After:   Concat(left..., right...)
//
// The shape of x has no elements along the axis. The rule removes all such operands at once, but leaves one operand if
// all are empty. remove_concat removes a Concat of one operand.
extern const RuleView concat_empty;

}  // namespace graft::inline v1
