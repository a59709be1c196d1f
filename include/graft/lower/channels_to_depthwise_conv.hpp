#pragma once
#include <graft/rewrite/rule_view.hpp>

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

namespace graft::inline v1 {

extern const RuleView add_to_depthwise_conv;
extern const RuleView mul_to_depthwise_conv;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/channels_to_depthwise_conv.ipp>
#endif
