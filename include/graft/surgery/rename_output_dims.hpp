#pragma once
#include <cstddef>
#include <string>

#include <graft/rewrite/pass.hpp>

// Before:  y: f32[unk__0,3], an output
// After:   y: f32[N,3]
//
// For axis 0 of the output y and "N". y has a shape, of more than `axis` dims. An old symbol that no input bears is
// renamed wherever it stands. Values and shapes do not change; the signature does.

namespace graft::inline v1 {

/// Gives an extent of an output a name, in place of its number or of its old name. Throws Error, with the graph as it
/// was, for a name of no output, and an axis that it does not have. rename_dim() renames an extent everywhere.
Pass rename_output_dims(std::string output, std::size_t axis, std::string symbol);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/rename_output_dims.ipp>
#endif
