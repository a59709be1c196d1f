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
// Axes that move are constant. x has rank 4 or unknown rank. A ReduceSum that sums nothing (noop_with_empty_axes)
// stays.

/// Adapts ReduceSum to data that a surgery has made 4-D. It keeps the rank, and sums over axis 2 instead of the middle
/// axis of rank 3. Values and shapes change by design. Axes with other readers stay; the node gets its own copy. Covers
/// bodies, not functions.
Pass four_d_reduce_sum();

// Before:  ReduceMax(x) {axes=[3], keepdims}                     x: [N,C,H,W]
// After:   Reshape(ReduceMax(x) {axes=[3], keepdims=1}, [1,1,1,count])
//
// The axis is constant and may be -1; it is an input since opset 18. x has rank 4 or unknown rank. The known ones of N,
// C and H agree with count, N*C*H. The node stays if its only reader is a Reshape to [1,1,1,count].

/// Reshapes maxima along the last axis of 4-D data to one row of rank 4. Shapes change by design; the elements and
/// their order stay. Covers bodies, not functions.
Pass reduce_max_to_row(std::int64_t count = 3600);

// Before:  ReduceSum(Reshape(x, [...,P,Q]), [-1]) {keepdims}     x: f[...,P*Q]
// After:   Concat(s0, s1, ...) {axis=-1}                P of them
//          si = ReduceSum(Slice(x, i*Q, (i+1)*Q, [-1]), [-1]) {keepdims=1}
//
// The last extent of x is known. P and Q are constant, with P from 2 to `most`. The axis is constant, and the last one
// of the Reshape, counted from either end. Values between have one reader, and are not graph outputs.

/// Sums parts of the last axis without a further axis. The elements of the result and their order stay; its shape is
/// that of x with P as its last extent. Covers bodies, not functions.
Pass reshape_reduce_sum_to_slices(std::size_t most = 16);

// Before:  ReduceSum(Clip(Reshape(x, [...,P,Q]), bounds...), [-1]) {keepdims}     x: f[...,P*Q]
// After:   Concat(s0, s1, ...) {axis=-1}                P of them
//          si = ReduceSum(Clip(Slice(x, i*Q, (i+1)*Q, [-1]), bounds...), [-1]) {keepdims=1}
//
// The conditions are those of reshape_reduce_sum_to_slices(). Each Clip reads the bounds of the original one.

/// Sums clipped parts of the last axis without a further axis. The elements of the result and their order stay; its
/// shape is that of x with P as its last extent. Covers bodies, not functions.
Pass reshape_clip_reduce_sum_to_slices(std::size_t most = 16);

// Before:  LpNormalization(x) {axis=a}
// After:   LpNormalization(x) {axis=-1}
//
// The axis is given and not -1; x has rank 4 or unknown rank.

/// Normalizes along the last axis of data that a surgery has made 4-D. Values change by design. Covers bodies, not
/// functions.
Pass four_d_lp_normalization();

}  // namespace graft::inline v1
