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

namespace graft::inline v1 {

struct RuleView;

namespace detail {

Verdict merge_matmuls(std::span<Node* const> products, Rewriter& rewriter);

/// merge_matmuls() for a graph with inferred types.
Report merge_all_matmuls(Graph& graph, Context& context);

}  // namespace detail

// Before:  MatMul(x, w1), MatMul(x, w2), ...        anywhere in one scope
// After:   Split(MatMul(x, [w1 w2 ...]))            along the last axis
//
// The rank of x is known. The weights are constant matrices of one dtype without other readers, so that none is stored
// twice. x may have other readers.
//
// Before:  Add(MatMul(x, w1), b1), Add(MatMul(x, w2), b2), ...       in either order
// After:   Split(Add(MatMul(x, [w1 w2 ...]), [b1 b2 ...]))
//
// As above, if such an Add is the only reader of each product. Each b is constant and has one element for each column.

/// Joins MatMuls of one value by constant matrices into one MatMul and a Split, for example the projections to queries,
/// keys and values.
Pass merge_matmuls();

// Before:  r(MatMul(p(a), q(b)))         p, q, r: Reshape, Flatten, Squeeze or Unsqueeze; p or q may be missing
// After:   MatMul(a, b)
//
// The result has the shape of MatMul(a, b), and each of its rows is the product of the same row and the same matrix.
// This holds in two cases:
// - p keeps the last extent of a, and q(b) and b are the same single matrix.
// - p and q keep the last two extents. Either p(a) and a are single matrices; or p(a) and q(b) have equal batches,
//   and so have a and b.
// Extents are compared by number or symbol. A vector a counts as a row, a vector b as a column, and at most one of them
// is a vector. p and q may have other readers.
extern const RuleView reshape_matmul_reshape;

}  // namespace graft::inline v1
