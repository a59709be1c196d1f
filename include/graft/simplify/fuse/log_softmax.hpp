#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Log(Softmax(x))
// After:   LogSoftmax(x)            along the axis of the Softmax, its default included
//
// Nothing else reads the Softmax. Where it rounds to 0 the Log was -infinity, and is now the number that it should be.
// No change of values is declared for that: facts about values, such as calibrated ranges, stay.

namespace graft::inline v1 {

extern const RuleView log_softmax;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fuse/log_softmax.ipp>
#endif
