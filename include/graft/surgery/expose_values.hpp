#pragma once
#include <vector>

#include <graft/graph/name_pattern.hpp>
#include <graft/rewrite/pass.hpp>

// Before:  h = f(x), y = g(h)          return y
// After:   the same                    return y, h
//
// For a pattern that matches the name of h, which a node makes. The signature changes; values and shapes do not.

namespace graft::inline v1 {

/// Makes the values that nodes of the graph make, and whose names match one of the patterns, outputs of it, behind the
/// others, in the order of the nodes. Those whose type is not known stay inner ones, with a note. Throws Error for a
/// pattern that matches no value of the graph.
Pass expose_values(std::vector<NamePattern> names);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/expose_values.ipp>
#endif
