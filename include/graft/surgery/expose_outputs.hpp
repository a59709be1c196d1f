#pragma once
#include <string>
#include <vector>

#include <graft/rewrite/pass.hpp>

// Before:  h = f(x), y = g(h)          return y
// After:   the same                    return y, h
//
// For the name of the node f. Its type is declared or can be inferred. The signature changes; values and shapes do not.

namespace graft::inline v1 {

/// Makes the first outputs of these nodes of the graph outputs of it, behind the others, in the order of the nodes;
/// those that are outputs already are not listed twice. A node without a name is called as in reports, "Neg(h)". Throws
/// Error, with the graph as it was, for a name of no node, or of several, and for an output that the node omits or
/// whose type is not known. expose_values() goes by the names of values.
Pass expose_outputs(std::vector<std::string> nodes);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/expose_outputs.ipp>
#endif
