#pragma once
#include <cstddef>
#include <string>

#include <graft/rewrite/pass.hpp>

// Before:  y = Add(x, z), its node called 'sum'
// After:   sum_zero_output_0 = Constant() {value = zeros of the type of z}, y = Add(x, sum_zero_output_0)
//
// For input 1 of 'sum'. dtype and rank of z are known; an extent that is not known becomes 1. Values change, and shapes
// where such an extent is not 1. z stays in place: an input of the graph stays in its signature.

namespace graft::inline v1 {

/// Makes one input of a node zeros. Nodes in bodies count, and one without a name is called as in reports, "Add(y)". An
/// input that the node does not give, or whose type is not known or has no zeros, is left as it is, with a note; so is
/// one where the model would not fit together. Throws Error for a name of no node, or of several.
Pass zero_out_input(std::string node, std::size_t input);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/zero_out_input.ipp>
#endif
