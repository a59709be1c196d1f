#pragma once
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  Cast(Cast(x))
// After:   Cast(x)
//
// The inner Cast loses nothing: its dtype holds every value of x's, with the same sign, digits, infinities and NaN. So
// it is to the dtype of x, or from bool, an integer, f16, bf16, f32 or f64 to a wider one of these (f16 and bf16 do not
// hold each other); then the outer Cast does not make text.
// Where it makes floats of integers and the outer one integers again, these hold every value of x's too, for a float
// beyond an integer is converted in no defined way. The inner Cast may have other users. remove_cast takes away what is
// left where the outer Cast returns to the dtype of x.
extern const RuleView cast_cast;

// Before:  Cast(ConstantOfShape(s) {value})
// After:   ConstantOfShape(s) {value of the other dtype}
//
// value, or the 0 of f32 that stands for it, is converted as Cast does; it fits: nothing out of the range of integers.
// ConstantOfShape has the dtype at the graph's opset. It may have other users, for which it stays.
extern const RuleView cast_constant_of_shape;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/cast.ipp>
#endif
