#pragma once
#include <span>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/rewriter.hpp>

// Before:  MatMul(x, w1), MatMul(x, w2), ...        anywhere in one scope
// After:   Split(MatMul(x, [w1 w2 ...]))            along the last axis
//
// x is of known rank. The weights are constant matrices of one dtype that nothing else reads, so that none is kept
// twice. x may have other users.
//
// Before:  Add(MatMul(x, w1), b1), Add(MatMul(x, w2), b2), ...       in either order
// After:   Split(Add(MatMul(x, [w1 w2 ...]), [b1 b2 ...]))
//
// The same, if all of the products are used by such an Add alone; each b is constant, and has an element for each
// column.

namespace graft::inline v1 {

namespace detail {

Verdict merge_matmuls(std::span<Node* const> products, Rewriter& rewriter);

/// merge_matmuls() where the types have been inferred.
Report merge_all_matmuls(Graph& graph, Context& context);

}  // namespace detail

/// Several MatMuls of one value by constant matrices become one, and a Split: the projections to queries, keys and
/// values among them.
Pass merge_matmuls();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fuse/merge_matmuls.ipp>
#endif
