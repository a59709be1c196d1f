#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  Add(Conv(x, w, b?), Conv(y, v, c?))                       x: f[N,C,...]   w: f[M,C,1...]
//                                                                    y: f[N,D,...]   v: f[M,D,1...]
// After:   Conv(Concat(x, y') {axis=1}, [w v], b+c)                  y' is y, or if its Conv has strides
//                                                                    MaxPool(y) {kernel_shape=[1...], strides}
//
// In either order. The kernels have one element; w, v, b and c are constant. group is 1, there are no pads, and the
// strides of the first Conv are 1. Both results have one shape. x and y are different values. Neither is dequantized: a
// runtime may fuse such a DequantizeLinear with its Conv. M is C+D or more, so that the Concat has no more channels
// than the sum. The greatest weights of the two differ by a factor of 2 at most, because their rows then share scales.
// For runtimes whose integer kernels fuse only activations with a Conv: the shortcuts of residual networks.
extern const RuleView added_convs_to_conv;
extern const RuleView conv_and_strided_to_conv;
extern const RuleView strided_and_conv_to_conv;

// Before:  com.microsoft::MatMulNBits(a, b, scales, zero_points?, group_index, bias?)
// After:   the same without group_index
//
// group_index is constant, and has the default value: row k of the weight is in group k / block_size. Values stay. (It
// is not enough that group_index is sorted: groups of other sizes are sorted, too.)
extern const RuleView drop_group_index;

/// Applies the rule everywhere, bodies included.
Pass drop_group_indices();

}  // namespace graft::inline v1
