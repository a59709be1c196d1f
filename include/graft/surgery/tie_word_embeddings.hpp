#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  Gather(table, ids), MatMul(x, weight)
// After:   Gather(table, ids), Reshape(Gemm(Reshape(x, [-1, K]), table) {transB=1}, [..., N])
//
// Of the main graph, from opset 11 on. Both are initializers, and weight [K, N] is the transpose of table [N, K], bit
// for bit. Where more than one of the leading dims of x is not known, they are computed, from opset 14 on. No
// Reshape where x is of rank 2.
//
// Before:  com.microsoft::GatherBlockQuantized(table, ids, scales, zero_points?)
//          com.microsoft::MatMulNBits(x, weight, its scales, its zero_points?)
// After:   com.microsoft::MatMulNBits(x, Reshape(table), scales, zero_points?)
//
// Both are the same bytes, in whole blocks along rows.

namespace graft::inline v1 {

/// The pass that stores the table of a language model's embeddings once, where its last product multiplies by the same
/// matrix. Values stay except for rounding.
Pass tie_word_embeddings();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/tie_word_embeddings.ipp>
#endif
