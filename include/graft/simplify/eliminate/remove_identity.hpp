#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Identity(x)
// After:   x
//
// Where the result is a graph output, what makes x gets its name. The Identity stays where nothing could bear it: x is
// an input, an initializer, an output already, or of a scope outside.

namespace graft::inline v1 {

extern const RuleView remove_identity;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/eliminate/remove_identity.ipp>
#endif
