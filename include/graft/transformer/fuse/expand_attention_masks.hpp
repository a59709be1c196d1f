#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

// Before:  Attention(q, k, v, mask)                                  of the main domain
// After:   Attention(q, k, v, Expand(mask, [1, 1, steps, keys]))
//
// The standard lets a mask broadcast. Kernels, ONNX Runtime's among them, want it to have a row for each query. So a
// mask of rank 2 to 4 with one row, such as [batch, 1, 1, keys], gets as many as there are queries, and one of a single
// key, which opset 23 lets broadcast, as many as there are keys. Queries, keys and values are of rank 4. Attentions of
// one mask, with as many queries and keys, share what is expanded.
//
// The keys of a cache count. In opset 24, a mask may have fewer keys than there are: then the operator itself fills it,
// and it is left alone.

namespace graft::inline v1 {

extern const RuleView expand_attention_mask;

/// The pass that does this everywhere. Types are inferred first.
Pass expand_attention_masks();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/expand_attention_masks.ipp>
#endif
