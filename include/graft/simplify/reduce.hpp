#pragma once

namespace graft::inline v1 {

struct RuleView;

// Before:  Unsqueeze(f(x, axes?) {keepdims=0}, axes)        f: any Reduce operator
// After:   f(x, axes?) {keepdims=1}
//
// Both have the same axes, in any order and counted from either end. An f without axes reduces all, and the rank of x
// is known then. Nothing else reads f.
extern const RuleView reduce_unsqueeze;

// Before:  Unsqueeze(f(x) {axis, keepdims=0}, axis)         f: ArgMax, ArgMin
// After:   f(x) {axis, keepdims=1}
//
// The axes are equal, and nothing else reads f.
extern const RuleView arg_unsqueeze;

// Before:  ArgMax(f(x))             f: Exp; Log and Sqrt if no element of x is below 0
// After:   ArgMax(x)
//
// Nothing else reads f(x). The index changes if f rounds two numbers to one, for example by underflow. Then the ArgMax
// of f(x) finds the first of them, and the ArgMax of x the larger one. So simplify() omits this rule and the next one;
// apply them by name.
extern const RuleView argmax_of_monotone;

// Before:  ArgMax(f(x))             f: Softmax, LogSoftmax along the axis of the ArgMax
// After:   ArgMax(x)
//
// Nothing else reads f(x). Before opset 13 Softmax normalizes over its axis and all later ones, and the ArgMax may have
// any of these.
extern const RuleView argmax_of_softmax;

}  // namespace graft::inline v1
