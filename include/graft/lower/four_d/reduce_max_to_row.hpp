#pragma once
#include <cstdint>

#include <graft/rewrite/pass.hpp>

// Before:  ReduceMax(x) {axes=[3], keepdims}                     x: [N,C,H,W]
// After:   Reshape(ReduceMax(x) {axes=[3], keepdims=1}, [1,1,1,count])
//
// The axis may be -1, and is an input since opset 18; it is constant. x is of rank 4, or of unknown rank; N*C*H is
// count, as far as it is known. Not where a Reshape to [1,1,1,count] reads it, and nothing else.

namespace graft::inline v1 {

/// The pass that reshapes maxima along the last axis of 4-D data to one row of rank 4. Shapes change by design; the
/// elements and their order do not. Covers bodies, not functions.
Pass reduce_max_to_row(std::int64_t count = 3600);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/reduce_max_to_row.ipp>
#endif
