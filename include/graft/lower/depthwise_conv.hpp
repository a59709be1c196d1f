#pragma once
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  AveragePool(x) {kernel_shape, strides, pads, count_include_pad}
// After:   Conv(x, w) {group=channels, kernel_shape, strides, pads}    w: f32[channels,1,kernel...]
//                                                                      each element 1 / their number in a kernel
//
// x is f32[N, channels, ...] of known rank and channels, and a node makes it. All means are of as many values:
// count_include_pad is 1 or nothing is padded; auto_pad, ceil_mode and dilations are not given. For runtimes whose
// integer kernel of AveragePool is slower than that of a depthwise Conv; weights of one value take no error when they
// are quantized. In float the sum is rounded in another order: that is within the accuracy of either operator, and no
// change of values.
extern const RuleView average_pool_to_depthwise_conv;

// Before:  BatchNormalization(x, scale, bias, mean, variance)
// After:   Conv(x, w, b) {group=channels}     w: f[channels,1,1...], of the rank of x      w[m] = factor[m]
//                                             b[m] = bias[m] - mean[m] * factor[m]
//                                             factor[m] = scale[m] / sqrt(variance[m] + epsilon)
//
// x is of known rank, 3 or more, without an extent of 0; the statistics are constant and finite, and so are w and b in
// the dtype of x; the BatchNormalization is in inference: training_mode is 0, and of its outputs there is the first
// only. For runtimes that compute Conv in integers, but not BatchNormalization; where a Conv stands in front,
// bn_into_conv is better.
extern const RuleView bn_to_depthwise_conv;

// Before:  Mul(x, c), in either order, or Div(x, c)      by the rule mul_to_depthwise_conv
// After:   Conv(x, w) {group=channels}                   w: f[channels,1,1,1]     w[m] = c[m]      or 1 / c[m]
//
// Before:  Add(x, c), in either order, or Sub(x, c)      by the rule add_to_depthwise_conv
// After:   Conv(x, 1, b) {group=channels}                b: f[channels]           b[m] = c[m]      or -c[m]
//
// x is of rank 4 and floats, its channels known; c is constant, one value for all channels or one for each: of at most
// rank 4, and 1 along every axis but the second. w and b are finite. A node makes x, and a Conv reads the result,
// behind elementwise operators and pools at most. For runtimes that compute Conv in integers: with mul_into_conv and
// add_into_conv_bias, one Conv is left of any row of these, where no other Conv takes it.
extern const RuleView add_to_depthwise_conv;
extern const RuleView mul_to_depthwise_conv;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/depthwise_conv.ipp>
#endif
