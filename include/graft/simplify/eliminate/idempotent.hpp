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

extern const RuleView repeated_abs;
extern const RuleView repeated_relu;
extern const RuleView repeated_round;
extern const RuleView repeated_sign;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/eliminate/idempotent.ipp>
#endif
