#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Cast(ConstantOfShape(s) {value})
// After:   ConstantOfShape(s) {value of the other dtype}
//
// value, or the 0 of f32 that stands for it, is converted as Cast does; it fits: nothing out of the range of integers.
// ConstantOfShape has the dtype at the graph's opset. It may have other users, for which it stays.

namespace graft::inline v1 {

extern const RuleView cast_constant_of_shape;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fold/cast_constant_of_shape.ipp>
#endif
