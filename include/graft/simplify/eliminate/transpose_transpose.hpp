#pragma once
#include <optional>

#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/rule_view.hpp>

// Before:  Transpose(Transpose(x, p), q)
// After:   Transpose(x, r)               r[i] = p[q[i]]
//
// An absent perm reverses the axes; the rank must be known from the other one or from x. The inner Transpose may have
// other users, for which it stays. Where r is no change, remove_transpose takes it away.

namespace graft::inline v1 {
namespace vocabulary {

std::optional<Ints> composed_perm(const Value& input, const std::optional<Ints>& first,
                                  const std::optional<Ints>& second);

}  // namespace vocabulary

extern const RuleView transpose_transpose;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/eliminate/transpose_transpose.ipp>
#endif
