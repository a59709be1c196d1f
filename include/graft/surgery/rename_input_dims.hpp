#pragma once
#include <cstddef>
#include <string>

#include <graft/rewrite/pass.hpp>

// Before:  x: f32[1,3], y = Neg(x): f32[1,3]
// After:   x: f32[N,3], y = Neg(x): f32[N,3]
//
// For axis 0 of the input x and "N". x has a shape, of more than `axis` dims. What follows for other types is inferred
// again; an old symbol that no other input bears is renamed wherever it stands. Values do not change. The signature
// does, and where the extent was a number, the model is declared to take others as well: change_batch() sees to it that
// it does.

namespace graft::inline v1 {

/// Gives an extent of an input a name, in place of its number or of its old name. Inputs that bear the name already are
/// of one size with it then. Throws Error, with the graph as it was, for a name of no input and an axis that it does
/// not have. rename_dim() renames an extent everywhere.
Pass rename_input_dims(std::string input, std::size_t axis, std::string symbol);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/rename_input_dims.ipp>
#endif
