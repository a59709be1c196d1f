#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Add(f(x, w, b?), c), in either order, or Sub(f(x, w, b?), c)      f: Conv or Gemm
// After:   f(x, w, b')                   b'[m] = b[m] + c[m]      or - c[m]
//
// w, b and c are constant floats. c is one value for all output channels or one for each: of at most the rank of the
// result, and 1 along every axis but that of the channels, the second. b of a Gemm is of rank 1, and beta 1.
// b' is finite in its dtype.
//
// Before:  Add(Conv(x, w), c), in either order, or Sub(Conv(x, w), c)
// After:   Conv(x, w, b')
//
// w is computed: by its shape it has output channels. c is as above.

namespace graft::inline v1 {

extern const RuleView add_into_computed_conv_bias;
extern const RuleView add_into_conv_bias;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fuse/add_into_conv_bias.ipp>
#endif
