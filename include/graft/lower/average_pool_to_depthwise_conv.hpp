#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  AveragePool(x) {kernel_shape, strides, pads, count_include_pad}
// After:   Conv(x, w) {group=channels, kernel_shape, strides, pads}    w: f32[channels,1,kernel...]
//                                                                      each element 1 / their number in a kernel
//
// x is f32[N, channels, ...] of known rank and channels, and a node makes it. All means are of as many values:
// count_include_pad is 1 or nothing is padded; auto_pad, ceil_mode and dilations are not given. For runtimes whose
// integer kernel of AveragePool is slower than that of a depthwise Conv; weights of one value take no error when they
// are quantized. In float the sum is rounded in another order: that is within the accuracy of either operator, and no
// change of values.

namespace graft::inline v1 {

extern const RuleView average_pool_to_depthwise_conv;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/average_pool_to_depthwise_conv.ipp>
#endif
