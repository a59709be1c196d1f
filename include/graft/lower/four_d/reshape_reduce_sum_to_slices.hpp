#pragma once
#include <cstddef>

#include <graft/rewrite/pass.hpp>

// Before:  ReduceSum(Reshape(x, [...,P,Q]), [-1]) {keepdims}     x: f[...,P*Q]
// After:   Concat(s0, s1, ...) {axis=-1}                P of them
//          si = ReduceSum(Slice(x, i*Q, (i+1)*Q, [-1]), [-1]) {keepdims=1}
//
// The last extent of x is known, and P and Q are constant, P 2 to most; the axis, which is constant too, is the last
// one of the Reshape, counted from either end. What stands between is read here only, and is no graph output.

namespace graft::inline v1 {

/// The pass that sums parts of the last axis without a further axis. The elements of the result and their order stay;
/// its shape is that of x with P as its last extent. Covers bodies, not functions.
Pass reshape_reduce_sum_to_slices(std::size_t most = 16);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/reshape_reduce_sum_to_slices.ipp>
#endif
