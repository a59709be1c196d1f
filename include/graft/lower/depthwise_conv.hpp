#pragma once

namespace graft::inline v1 {

struct RuleView;

// Before:  AveragePool(x) {kernel_shape, strides, pads, count_include_pad}
// After:   Conv(x, w) {group=channels, kernel_shape, strides, pads}    w: f32[channels,1,kernel...]
//                                                                      each element 1 / the size of the kernel
//
// x is f32[N, channels, ...] of known rank and channels, and its producer is a node. Each mean is over the same number
// of values: count_include_pad is 1, or there is no padding. auto_pad, ceil_mode and dilations are absent. For runtimes
// with an integer kernel of AveragePool that is slower than a depthwise Conv. Equal weights quantize without error. In
// float the sum is rounded in another order. This is within the accuracy of both operators, so the rule declares no
// change of values.
extern const RuleView average_pool_to_depthwise_conv;

// Before:  BatchNormalization(x, scale, bias, mean, variance)
// After:   Conv(x, w, b) {group=channels}     w: f[channels,1,1...], of the rank of x      w[m] = factor[m]
//                                             b[m] = bias[m] - mean[m] * factor[m]
//                                             factor[m] = scale[m] / sqrt(variance[m] + epsilon)
//
// x has a known rank of 3 or more, and no extent of 0. The statistics are constant and finite; w and b are finite in
// the dtype of x. The BatchNormalization is in inference: training_mode is 0, and it has one output. For runtimes that
// compute Conv in integers, but not BatchNormalization. After a Conv, bn_into_conv is better.
extern const RuleView bn_to_depthwise_conv;

// Before:  Mul(x, c), in either order, or Div(x, c)      by the rule mul_to_depthwise_conv
// After:   Conv(x, w) {group=channels}                   w: f[channels,1,1,1]     w[m] = c[m]      or 1 / c[m]
//
// Before:  Add(x, c), in either order, or Sub(x, c)      by the rule add_to_depthwise_conv
// After:   Conv(x, 1, b) {group=channels}                b: f[channels]           b[m] = c[m]      or -c[m]
//
// x is a float of rank 4 with known channels. c is constant, one value for all channels or one for each. Its rank is at
// most 4, and its extents are 1 along every axis except the second. w and b are finite. The producer of x is a node,
// and a Conv reads the result, possibly through elementwise operators and pools. For runtimes that compute Conv in
// integers. With mul_into_conv and add_into_conv_bias, a chain of these becomes one Conv, unless another Conv absorbs
// it.
extern const RuleView add_to_depthwise_conv;
extern const RuleView mul_to_depthwise_conv;

}  // namespace graft::inline v1
