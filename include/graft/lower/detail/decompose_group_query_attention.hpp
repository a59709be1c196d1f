#pragma once
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::detail {

/// Replaces a com.microsoft::GroupQueryAttention by primitives.
Verdict decompose_group_query(Rewriter& rewriter, Node& node);

}  // namespace graft::inline v1::detail
