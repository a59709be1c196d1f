#pragma once
#include <string>

#include <graft/rewrite/pass.hpp>

// Before:  x: f32[batch,3], y: f32[2*batch,3]
// After:   x: f32[N,3], y: f32[2*N,3]
//
// For "batch" and "N", in all types of the graph and its bodies; no extent is called "N" yet. Values and shapes do not
// change; the signature does by the name.

namespace graft::inline v1 {

/// Renames a symbolic extent wherever it stands. Throws Error, with the graph as it was, if no extent bears the name,
/// if one bears the new name, or if that is empty.
Pass rename_dim(std::string from, std::string to);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/rename_dim.ipp>
#endif
