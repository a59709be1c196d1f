#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Where(Not(c), x, y)
// After:   Where(c, y, x)
//
// Nothing else reads the Not.

namespace graft::inline v1 {

extern const RuleView where_not;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/eliminate/where_not.ipp>
#endif
