#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Gemm(x, w, b?) {alpha}
// After:   Gemm(x, alpha * w, b?) {alpha=1}
//
// w is a constant of a float dtype, which nothing else reads: a copy would be stored beside it. alpha is neither 0 nor
// 1, and alpha * w is finite in the dtype of w. Opset 7 or later.
//
// Values stay, to rounding where alpha is no power of two. Integer kernels may take no alpha, or none beside a bias.

namespace graft::inline v1 {

extern const RuleView gemm_alpha_into_weight;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/gemm_alpha_into_weight.ipp>
#endif
