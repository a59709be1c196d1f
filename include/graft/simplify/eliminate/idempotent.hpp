#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  f(f(x))                  f: Relu, Abs, Sign
// After:   f(x)
//
// Before:  f(g(x))                  f, g: Ceil, Floor, Round
// After:   g(x)
//
// The inner node may have other users.

namespace graft::inline v1 {

extern const RuleView abs_abs;
extern const RuleView relu_relu;
extern const RuleView round_round;
extern const RuleView sign_sign;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/eliminate/idempotent.ipp>
#endif
