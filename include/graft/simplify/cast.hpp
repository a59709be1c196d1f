#pragma once

namespace graft::inline v1 {

struct RuleView;

// Before:  Cast(Cast(x))
// After:   Cast(x)
//
// The inner Cast loses nothing: its dtype holds every value of x's dtype, with the same sign, digits, infinities and
// NaN. So it casts to the dtype of x; or it casts bool, an integer, f16, bf16, f32 or f64 to a wider one of these. f16
// and bf16 do not hold each other. If the inner Cast widens, the outer one does not cast to string.
//
// If the inner Cast turns integers into floats and the outer one casts to integers, those hold every value of x's
// dtype, too: a float out of the range of integers has no defined conversion. The inner Cast may have other readers. If
// the outer Cast returns to the dtype of x, remove_cast removes what is left.
extern const RuleView cast_cast;

// Before:  Cast(ConstantOfShape(s) {value})
// After:   ConstantOfShape(s) {value of the other dtype}
//
// value (absent: 0 of f32) is converted as Cast converts it, and is within the range of an integer dtype.
// ConstantOfShape supports the dtype at the graph's opset. If it has other readers, it stays for them.
extern const RuleView cast_constant_of_shape;

}  // namespace graft::inline v1
