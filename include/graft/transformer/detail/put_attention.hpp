#pragma once
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/transformer/detail/scaled_dot_product.hpp>

namespace graft::inline v1::detail {

/// Replaces attention by the operator that fits best, of those in the argument fused_for. `is_standard`: the attention
/// is the main domain's operator, else primitives.
Verdict put_attention(ScaledDotProduct& found, Rewriter& rewriter, bool is_standard);

}  // namespace graft::inline v1::detail
