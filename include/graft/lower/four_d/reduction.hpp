#pragma once
#include <cstddef>
#include <cstdint>

#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  ReduceSum(x, [1]) {keepdims}
// After:   ReduceSum(x, [2]) {keepdims=1}
//
// Before:  ReduceSum(x, axes?) {keepdims=0}        of other axes
// After:   ReduceSum(x, axes?) {keepdims=1}
//
// Axes that move are constant; x is of rank 4, or of unknown rank. One that sums over nothing (noop_with_empty_axes)
// stays.

/// The pass that adapts ReduceSum to data that a surgery has made 4-D: it keeps the rank, and a sum over the middle
/// axis of rank 3 becomes one over axis 2. Values and shapes change by design. Axes that other nodes read stay as they
/// are; the node gets its own. Covers bodies, not functions.
Pass four_d_reduce_sum();

// Before:  ReduceMax(x) {axes=[3], keepdims}                     x: [N,C,H,W]
// After:   Reshape(ReduceMax(x) {axes=[3], keepdims=1}, [1,1,1,count])
//
// The axis may be -1, and is an input since opset 18; it is constant. x is of rank 4, or of unknown rank; N*C*H is
// count, as far as it is known. Not where a Reshape to [1,1,1,count] reads it, and nothing else.

/// The pass that reshapes maxima along the last axis of 4-D data to one row of rank 4. Shapes change by design; the
/// elements and their order do not. Covers bodies, not functions.
Pass reduce_max_to_row(std::int64_t count = 3600);

// Before:  ReduceSum(Reshape(x, [...,P,Q]), [-1]) {keepdims}     x: f[...,P*Q]
// After:   Concat(s0, s1, ...) {axis=-1}                P of them
//          si = ReduceSum(Slice(x, i*Q, (i+1)*Q, [-1]), [-1]) {keepdims=1}
//
// The last extent of x is known, and P and Q are constant, P 2 to most; the axis, which is constant too, is the last
// one of the Reshape, counted from either end. What stands between is read here only, and is no graph output.

/// The pass that sums parts of the last axis without a further axis. The elements of the result and their order stay;
/// its shape is that of x with P as its last extent. Covers bodies, not functions.
Pass reshape_reduce_sum_to_slices(std::size_t most = 16);

// Before:  ReduceSum(Clip(Reshape(x, [...,P,Q]), bounds...), [-1]) {keepdims}     x: f[...,P*Q]
// After:   Concat(s0, s1, ...) {axis=-1}                P of them
//          si = ReduceSum(Clip(Slice(x, i*Q, (i+1)*Q, [-1]), bounds...), [-1]) {keepdims=1}
//
// The last extent of x is known, and P and Q are constant, P 2 to most; the axis, which is constant too, is the last
// one of the Reshape, counted from either end. What stands between is read here only, and is no graph output. Each Clip
// reads the bounds of the one that was there.

/// The pass that sums parts of the last axis without a further axis. The elements of the result and their order stay;
/// its shape is that of x with P as its last extent. Covers bodies, not functions.
Pass reshape_clip_reduce_sum_to_slices(std::size_t most = 16);

// Before:  LpNormalization(x) {axis=a}
// After:   LpNormalization(x) {axis=-1}
//
// The axis is given and not -1; x is of rank 4, or of unknown rank.

/// The pass that normalizes along the last axis of data that a surgery has made 4-D. Values change by design. Covers
/// bodies, not functions.
Pass four_d_lp_normalization();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/four_d/reduction.ipp>
#endif
