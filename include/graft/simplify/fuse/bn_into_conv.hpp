#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  BatchNormalization(Conv(x, w, b?), scale, bias, mean, variance)
// After:   Conv(x, w', b')     w'[m,...] = w[m,...] * factor[m]    b'[m] = (b[m] - mean[m]) * factor[m] + bias[m]
//                              factor[m] = scale[m] / sqrt(variance[m] + epsilon)
//
// All but x is constant, one value for each output channel, and finite, and so are w' and b' in the dtype of w. The
// BatchNormalization is in inference: training_mode is 0, and of its outputs there is the first only. w' and b' are
// fresh constants: a shared w stays as it is. ConvTranspose, whose output channels are the second axis of w, is another
// operator and does not match.

namespace graft::inline v1 {

extern const RuleView bn_into_conv;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fuse/bn_into_conv.ipp>
#endif
