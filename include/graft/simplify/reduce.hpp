#pragma once
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  Unsqueeze(f(x, axes?) {keepdims=0}, axes)        f: any Reduce operator
// After:   f(x, axes?) {keepdims=1}
//
// Before:  Unsqueeze(f(x) {axis, keepdims=0}, axis)         f: ArgMax, ArgMin
// After:   f(x) {axis, keepdims=1}
//
// Both have the same axes, in whatever order and however they are counted. Where f has none it takes all, and the rank
// of x is known. Nothing else reads what f makes.
extern const RuleView arg_unsqueeze;
extern const RuleView reduce_unsqueeze;

// Before:  ArgMax(f(x))             f: Exp; Log and Sqrt if no element of x is below 0
// Before:  ArgMax(f(x))             f: Softmax, LogSoftmax along the axis of the ArgMax
// After:   ArgMax(x)
//
// Nothing else reads f(x). Before opset 13 Softmax is over all axes from its own on, and the axis of the ArgMax may be
// any of these.
//
// They change the index where f rounds two numbers to one, as where it underflows: the ArgMax then found the first of
// them, and now finds the larger. So simplify() leaves them out; they run where they are asked for by name.
extern const RuleView argmax_of_monotone;
extern const RuleView argmax_of_softmax;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/reduce.ipp>
#endif
