#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  y = f(g(x)), with types declared for some values or for none
// After:   the same, with value_info for the inner values of the graph and its bodies, and types of its outputs
//
// Inference fills in declared types, and replaces those that contradict it. Extents of which nothing is known become
// symbols (unk__0, unk__1 ...), those of inputs too, so that equal ones can be told. Values and names of the signature
// do not change.

namespace graft::inline v1 {

/// Declares all types that inference finds. Its notes name the nodes whose inputs do not fit, its warnings the declared
/// types that it replaces.
Pass infer_shapes();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/infer_shapes.ipp>
#endif
