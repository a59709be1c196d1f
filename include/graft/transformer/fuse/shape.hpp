#pragma once
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  Gather(Shape(x), i)
// After:   Gather(Shape(input), j)
//
// i is a constant of one element. Axis i of x has the symbol of axis j of an input of the graph without initializer,
// which x is not. Exporters by tracing measure whatever is at hand, such as the scores of attention, which fusions
// would then keep.
extern const RuleView extent_of_input;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/shape.ipp>
#endif
