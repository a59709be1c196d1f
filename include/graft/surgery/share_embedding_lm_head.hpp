#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  com.microsoft::GatherBlockQuantized(table, ids, scales, zero_points?) {bits=8}
//          com.microsoft::MatMulNBits(x, weight, ...) {bits=4}
// After:   com.microsoft::MatMulNBits(x, Reshape(table), scales, zero_points?) {bits=8}
//
// Of the main graph. Table and weight hold the same matrix in integers of whole blocks along rows, the weight of any
// bits and block size; it has no group indices. Values change as the weight is rounded otherwise.

namespace graft::inline v1 {

/// The pass that makes the last product of a language model multiply by the table of its embeddings, which is then
/// stored once. Whether they are the same matrix is decided from 256 to 511 rows, or all: the root mean square of their
/// difference must be at most half of that of the table.
Pass share_embedding_lm_head();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/share_embedding_lm_head.ipp>
#endif
