#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Reshape(Gemm(Reshape(x, [-1, K]), weight, addend?), [..., N])
// After:   Add(MatMul(x, weight), addend?)
//
// weight is [K, N], and Gemm has its default attributes; addend broadcasts over rows: it is [N], [1, N] or of one
// element. The result is of rank 3 or more. Where x is not [..., K] as the result is [..., N], it is reshaped to that,
// if its extents, numbers and symbols, allow a constant target; none of them is 0. Products of all rows are how some
// exporters write a layer over a sequence; fusions look for the form by batches, and take its Add in.

namespace graft::inline v1 {

extern const RuleView gemm_of_rows;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/gemm_of_rows.ipp>
#endif
