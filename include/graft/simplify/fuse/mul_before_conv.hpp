#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  f(Mul(x, c), w, b?), the factors in either order, or f(Div(x, c), w, b?)      f: Conv or Gemm
// After:   f(x, w', b?)             w'[m,i,...] = w[m,i,...] * c[i]      or / c[i], i counted through the groups
//
// w, b and c are constant floats; c is one value for all input channels or one for each: of at most the rank of x, and
// 1 along every axis but the second. x has as many channels as f reads, or c is one value. w' is finite in its dtype,
// and fresh: a shared w stays as it is. Of a Gemm beta is 1 and transA 0. Padding is 0, multiplied or not. The
// factor is not that of a Gelu, x * (1 + Erf(...)) * 0.5, which runtimes fuse as a whole.

namespace graft::inline v1 {

extern const RuleView mul_before_conv;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fuse/mul_before_conv.ipp>
#endif
