#pragma once
// How far values move when quantizers trade places with an activation. Write Q(x) = clamp(round(x / s) + z) and
// DQ(q) = s (q - z), with round to even; s > 0, and z is one of the integers.
//
// Theorem 1, DequantizeLinear alone. If f is positively homogeneous, f(DQ(q)) = f(s (q - z)) = s f(q - z): with
// g(q) = clamp(round(f(q - z)) + z), DQ(g(q)) is off by what rounding and clamping move f(q - z) by. Rounding moves by
// half a step at most, and by nothing where the slopes of f are integers, as those of Relu and Abs are. Clamping moves
// nothing where 0 <= slope <= 1, for then f(q - z) + z lies between z and q; else f is linear on each side of 0, so it
// moves most at the least or the greatest integer. If f clips to [a, b], DQ and clamping commute, for DQ increases:
// with the integers nearest to a / s + z and b / s + z instead, values at a bound are off by its distance to the grid:
// nothing on it, half a step at most beside it, where the bound is one that integers reach. Either is attained.
//
// Theorem 2, the pair in front. Of x in the range of Q1, DQ1(Q1(x)) lies within s1 / 2. If L is the steepest slope of
// f, f of it lies within L s1 / 2 of f(x); numbers d steps apart are rounded to integers at most floor(d) + 1 apart,
// and clamping brings them no further apart. So Q2(f(DQ1(Q1(x)))) and Q2(f(x)) differ by floor(L s1 / (2 s2)) + 1 at
// most, and the first, dequantized, lies within (L s1 + s2) / 2 of f(x) where it is not clamped: (L + 1) / 2 steps of
// one scale. If f maps the grid to itself with slopes of -1, 0 and 1 alone, round(f(u)) = f(round(u)), so that with
// s1 = s2 nothing differs.
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/qparams.hpp>

namespace graft::inline v1 {

namespace commute {

/// By how many steps of a scale quantized values differ, at most, if they differed by `moved` before: rounding to steps
/// may add one. Infinite for an infinite move.
double moved_steps(double moved, const QParams& behind);

}  // namespace commute

/// By how many steps of q's scale values move, at most, when a DequantizeLinear moves below an activation that is
/// computed of the integers instead: 0 where that is exact. Infinite for activations that have no such form, and those
/// of which nobody knows attributes or bounds. Theorem 1 above.
double commutation_bound(const Node& node, const QParams& q);

/// By how many steps of the scale behind quantized values differ, at most, when the pair in front of an activation goes
/// and the QuantizeLinear behind it stays; of values in the range of the first. Infinite where the activation has no
/// steepest slope that is known. Theorem 2 above.
double commutation_bound(const Node& node, const QParams& before, const QParams& behind);

}  // namespace graft::inline v1
