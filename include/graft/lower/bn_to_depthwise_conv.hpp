#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  BatchNormalization(x, scale, bias, mean, variance)
// After:   Conv(x, w, b) {group=channels}     w: f[channels,1,1...], of the rank of x      w[m] = factor[m]
//                                             b[m] = bias[m] - mean[m] * factor[m]
//                                             factor[m] = scale[m] / sqrt(variance[m] + epsilon)
//
// x is of known rank, 3 or more, without an extent of 0; the statistics are constant and finite, and so are w and b in
// the dtype of x; the BatchNormalization is in inference: training_mode is 0, and of its outputs there is the first
// only. For runtimes that compute Conv in integers, but not BatchNormalization; where a Conv stands in front,
// bn_into_conv is better.

namespace graft::inline v1 {

extern const RuleView bn_to_depthwise_conv;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/bn_to_depthwise_conv.ipp>
#endif
