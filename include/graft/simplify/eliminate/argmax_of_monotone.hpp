#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  ArgMax(f(x))             f: Log, Exp, Sqrt
// Before:  ArgMax(f(x))             f: Softmax, LogSoftmax along the axis of the ArgMax
// After:   ArgMax(x)
//
// Nothing else reads f(x). Where f rounds two numbers to one, or leaves its range, the ArgMax could not tell which was
// larger, and now it does; where f makes NaN, ONNX does not say what it returns. Before opset 13 Softmax is over all
// axes from its own on, and the axis of the ArgMax may be any of these. No change of values is declared for such ties:
// facts about values, such as calibrated ranges, stay.

namespace graft::inline v1 {

extern const RuleView argmax_of_monotone;
extern const RuleView argmax_of_softmax;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/eliminate/argmax_of_monotone.ipp>
#endif
