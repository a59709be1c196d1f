#pragma once

namespace graft::inline v1 {

struct RuleView;

// Before:  Where(condition, x, y)
// After:   x                          every element of the condition is known to be true
//          y                          every element is known to be false
//
// The chosen operand has the shape of the result: each extent is the same number or symbol. Exporters write this to
// test whether an extent is -1. Types are declared, or inferred before: the rule infers none.
extern const RuleView known_choice;

// Before:  Where(Not(c), x, y)
// After:   Where(c, y, x)
//
// Nothing else reads the Not.
extern const RuleView where_not;

}  // namespace graft::inline v1
