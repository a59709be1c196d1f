#pragma once
#include <cstdint>
#include <string>

#include <graft/rewrite/pass.hpp>

// Before:  x: f32[batch,3], y: f32[batch,4]
// After:   x: f32[8,3], y: f32[8,4]
//
// For "batch" and 8, in all types of the graph and its bodies. What follows from it for other extents is inferred. The
// signature changes; values do not, and shapes are those that callers may feed already.

namespace graft::inline v1 {

/// Makes a symbolic extent a number wherever it stands. Throws Error, with the graph as it was, if no extent bears the
/// name, the number is negative, or the model does not take it: a node does not fit.
Pass fix_dim(std::string symbol, std::int64_t value);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/fix_dim.ipp>
#endif
