#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Gemm(Transpose(x), y, bias?), Gemm(y, Transpose(x), bias?)
// After:   the same Gemm of x, with the other transA or transB
//
// The Transpose may have other users, for which it stays. Its perm is [1, 0] or absent: Gemm takes matrices only.

namespace graft::inline v1 {

extern const RuleView transpose_into_gemm_a;
extern const RuleView transpose_into_gemm_b;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fuse/transpose_into_gemm.ipp>
#endif
