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
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {
namespace detail {

Verdict merge_matmuls(std::span<Node* const> products, Rewriter& rewriter);

/// merge_matmuls() where the types have been inferred.
Report merge_all_matmuls(Graph& graph, Context& context);

}  // namespace detail

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

/// Several MatMuls of one value by constant matrices become one, and a Split: the projections to queries, keys and
/// values among them.
Pass merge_matmuls();

// Before:  r(MatMul(p(a), q(b)))         p, q, r: Reshape, Flatten, Squeeze or Unsqueeze; p or q may be missing
// After:   MatMul(a, b)
//
// The result has the shape of MatMul(a, b), and each of its rows is the product of the same row and the same matrix:
// p keeps the last extent of a, and q(b) and b hold one matrix, the same; or p and q keep the last two extents, and
// either p(a) and a hold one matrix, or p(a) and q(b) have the same batch, and a and b have. Extents are compared by
// number or symbol. A vector a is a row, a vector b a column, and one of them is none. p and q may have other readers.
extern const RuleView reshape_matmul_reshape;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/matmul.ipp>
#endif
