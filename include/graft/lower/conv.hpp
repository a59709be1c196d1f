#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  Add(Conv(x, w, b?), Conv(y, v, c?))                       x: f[N,C,...]   w: f[M,C,1...]
//                                                                    y: f[N,D,...]   v: f[M,D,1...]
// After:   Conv(Concat(x, y') {axis=1}, [w v], b+c)                  y' is y, or of a Conv that strides
//                                                                    MaxPool(y) {kernel_shape=[1...], strides}
//
// In either order. The kernels are of one element, w, v, b and c constant, group is 1, no pad is there, and the strides
// of the first Conv are 1. Both results have one shape. Neither x nor y is dequantized, for then a runtime may fuse its
// DequantizeLinear with the Conv. x and y are two values. M is C+D or more: else more is put side by side than was
// added. The greatest weights of the two are within a factor of 2, for their rows then share scales. For runtimes whose
// integer kernels put nothing but activations behind a Conv: the shortcuts of residual networks.
extern const RuleView added_convs_to_conv;
extern const RuleView conv_and_strided_to_conv;
extern const RuleView strided_and_conv_to_conv;

// Before:  com.microsoft::MatMulNBits(a, b, scales, zero_points?, group_index, bias?)
// After:   the same without group_index
//
// group_index is constant and says what holds without it: that row k of the weight is of group k / block_size. Values
// stay. (To be sorted is not enough: groups of other sizes are sorted too.)
extern const RuleView drop_group_index;

/// The pass that does this everywhere, in bodies too.
Pass drop_group_indices();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/conv.ipp>
#endif
