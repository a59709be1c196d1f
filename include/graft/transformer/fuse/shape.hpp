#pragma once

namespace graft::inline v1 {

struct RuleView;

// Before:  Gather(Shape(x), i)
// After:   Gather(Shape(input), j)
//
// i is a constant of one element. Axis i of x has the symbol of axis j of a graph input without initializer, and x is
// not that input. Exporters by tracing measure any value, such as the scores of attention; fusions would then keep that
// value.
extern const RuleView extent_of_input;

}  // namespace graft::inline v1
