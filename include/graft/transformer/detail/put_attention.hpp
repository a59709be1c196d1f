#pragma once
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/transformer/detail/scaled_dot_product.hpp>

namespace graft::inline v1::detail {

/// Puts the operator that fits best, of those that the argument fused_for names, in the place of attention; of
/// primitives, or of the main domain's operator if `is_standard`.
Verdict put_attention(ScaledDotProduct& found, Rewriter& rewriter, bool is_standard);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/transformer/detail/put_attention.ipp>
#endif
