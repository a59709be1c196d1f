#pragma once
#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::detail {

/// Forgets symbols that inference made up for extents of what nodes compute: it may know more since then, by targets of
/// Reshapes that have become constant, or by a fused operator. Outputs have the symbols that are declared, as if the
/// model were loaded again.
void forget_unknown_extents(Graph& graph);

/// Infers again what is computed of a value, as far as more follows for extents with such symbols. To be called where
/// more is known of the value than of the one whose place it took.
void infer_behind(Rewriter& rewriter, const Value& value);

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/transformer/detail/unknown_extents.ipp>
#endif
