#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  com.microsoft::GatherBlockQuantized(table, ids, scales, zero_points?) {bits=8}
//          com.microsoft::MatMulNBits(x, weight, ...) {bits=4}
// After:   com.microsoft::MatMulNBits(x, Reshape(table), scales, zero_points?) {bits=8}
//
// Of the main graph. Table and weight hold the same matrix in integers of whole blocks along rows, the weight of any
// bits and block size; it has no group indices. Values change as the weight is rounded otherwise.

/// The pass that makes the last product of a language model multiply by the table of its embeddings, which is then
/// stored once. Whether they are the same matrix is decided from 256 to 511 rows, or all: the root mean square of their
/// difference must be at most half of that of the table.
Pass share_embedding_lm_head();

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

/// The pass that stores the table of a language model's embeddings once, where its last product multiplies by the same
/// matrix. Values stay except for rounding.
Pass tie_word_embeddings();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/tied_weights.ipp>
#endif
