#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Transpose(f(Transpose(x, p)), q)     f: up to 64 elementwise operators in a row
// After:   f(Transpose(x, r))                   r[i] = p[q[i]]
//
// Elementwise operators have one operand except for constants of one element, of rank 0 or 1: Relu, Clip, Mul by 2. The
// rank is known from p, q or x. Nothing else reads what stands between. Another Transpose is not the only reader of the
// result: transpose_transpose joins these two first. Where r is no change, remove_transpose takes it away.

namespace graft::inline v1 {

extern const RuleView transpose_elementwise_transpose;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/eliminate/transpose_elementwise_transpose.ipp>
#endif
