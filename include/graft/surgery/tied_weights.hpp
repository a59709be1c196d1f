#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  com.microsoft::GatherBlockQuantized(table, ids, scales, zero_points?) {bits=8}
//          com.microsoft::MatMulNBits(x, weight, ...) {bits=4}
// After:   com.microsoft::MatMulNBits(x, Reshape(table), scales, zero_points?) {bits=8}
//
// In the main graph. Table and weight are the same matrix, in integers of whole blocks along rows. The weight may have
// any bits and block size, but no group indices. Values change, because the weight is rounded in another way.

/// Makes the last product of a language model use the table of its embeddings, so that the matrix is stored once. To
/// decide whether both are the same matrix, the pass compares 256 to 511 rows, or all if there are fewer. The root mean
/// square of their difference must be at most half of that of the table.
Pass share_embedding_lm_head();

// Before:  Gather(table, ids), MatMul(x, weight)
// After:   Gather(table, ids), Reshape(Gemm(Reshape(x, [-1, K]), table) {transB=1}, [..., N])
//
// In the main graph, opset 11 or later. Both are initializers, and weight [K, N] is the transpose of table [N, K], bit
// for bit. If two or more leading dims of x are unknown, they are computed, which needs opset 14. x of rank 2 needs no
// Reshape.
//
// Before:  com.microsoft::GatherBlockQuantized(table, ids, scales, zero_points?)
//          com.microsoft::MatMulNBits(x, weight, its scales, its zero_points?)
// After:   com.microsoft::MatMulNBits(x, Reshape(table), scales, zero_points?)
//
// Both have the same bytes, in whole blocks along rows.

/// Stores the table of a language model's embeddings once, if its last product uses the same matrix. Values stay, to
/// rounding.
Pass tie_word_embeddings();

}  // namespace graft::inline v1
