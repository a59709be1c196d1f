#pragma once
#include <string>
#include <vector>

#include <graft/rewrite/pass.hpp>

// Before:  h = f(x), y = g(h)          return y
// After:   the same                    return y, h
//
// The type of h is declared or can be inferred. The signature changes; values and shapes do not.

namespace graft::inline v1 {

/// Makes these values of the graph outputs of it, behind the others, in this order; those that are outputs already are
/// not listed twice. Throws Error, with the graph as it was, for a name of no value, and for one whose type is not
/// known.
Pass add_intermediate_tensors_to_outputs(std::vector<std::string> names);

/// The same for all that nodes of the graph make, in their order. Those whose type is not known stay inner ones, with a
/// note.
Pass add_intermediate_tensors_to_outputs();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/add_intermediate_tensors_to_outputs.ipp>
#endif
