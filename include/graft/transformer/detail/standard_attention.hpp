#pragma once
#include <graft/graph/node.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/transformer/detail/scaled_dot_product.hpp>

namespace graft::inline v1::detail {

/// The main domain's Attention as products; no if they are not covered.
Verdict read_standard_attention(Node& node, ScaledDotProduct& found);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/transformer/detail/standard_attention.ipp>
#endif
