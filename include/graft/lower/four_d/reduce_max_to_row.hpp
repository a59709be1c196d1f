#pragma once
#include <cstdint>

#include <graft/rewrite/pass.hpp>

// Before:  ReduceMax(x) {axes=[3], keepdims}                     x: [N,C,H,W]
// After:   Reshape(ReduceMax(x) {axes=[3], keepdims=1}, [1,1,1,count])
//
// The axis may be -1, and is an input since opset 18; it is constant. x is of rank 4, or its rank cannot be told; N*C*H
// is count, as far as it is known. Not where a Reshape to [1,1,1,count] reads it, and nothing else.

namespace graft::inline v1 {

/// The pass that makes one row of rank 4 of maxima along the last axis of images. Shapes change by design, elements and
/// their order do not. In bodies too; functions stay as they are.
Pass reduce_max_to_row(std::int64_t count = 3600);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/reduce_max_to_row.ipp>
#endif
