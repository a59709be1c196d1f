#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  f(Add(x, c), w, b?), the summands in either order, or f(Sub(x, c), w, b?)      f: Conv or Gemm
// After:   f(x, w, b')             b'[m] = b[m] + alpha * the sum over i,... of w[m,i,...] * c[i]      or b[m] - ...
//
// w, b and c are constant floats; c is one value for all input channels or one for each: of at most the rank of x, and
// 1 along every axis but the second. x has as many channels as f reads, or c is one value. A Conv pads nothing: c is
// not added to padding. b' is finite in its dtype. Of a Gemm beta is 1 and transA 0.

namespace graft::inline v1 {

extern const RuleView add_before_conv;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fuse/add_before_conv.ipp>
#endif
