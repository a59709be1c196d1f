#pragma once
#include <cstddef>
#include <vector>

#include <graft/rewrite/pass.hpp>

// Before:  graph(a, b, c)
// After:   graph(c, a, b) for {2, 0, 1}
//
// The permutation holds each of 0 ... n-1 once, for a graph of n inputs; those that have an initializer count. The
// signature changes; values and shapes do not.

namespace graft::inline v1 {

/// The new input k is the old input permutation[k]. Throws Error, with the graph as it was, if it is no permutation of
/// the inputs.
Pass reorder_inputs(std::vector<std::size_t> permutation);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/reorder_inputs.ipp>
#endif
