#pragma once
#include <optional>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {
namespace rules {

std::optional<Ints> composed_perm(const Value& input, const std::optional<Ints>& first,
                                  const std::optional<Ints>& second);

}  // namespace rules

// Before:  Transpose(Transpose(x, p), q)
// After:   Transpose(x, r)               r[i] = p[q[i]]
//
// An absent perm reverses the axes; the rank must be known from the other one or from x. The inner Transpose may have
// other users, for which it stays. Where r is no change, remove_transpose takes it away.
extern const RuleView transpose_transpose;

// Before:  Transpose(f(Transpose(x, p)), q)     f: up to 64 elementwise operators in a row
// After:   f(Transpose(x, r))                   r[i] = p[q[i]]
//
// Elementwise operators have one operand except for constants of one element, of rank 0 or 1: Relu, Clip, Mul by 2. The
// rank is known from p, q or x. Nothing else reads what stands between. Another Transpose is not the only reader of the
// result: transpose_transpose joins these two first. Where r is no change, remove_transpose takes it away.
extern const RuleView transpose_elementwise_transpose;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/transpose.ipp>
#endif
