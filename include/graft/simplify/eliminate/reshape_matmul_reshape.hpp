#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  r(MatMul(p(a), q(b)))         p, q, r: Reshape, Flatten, Squeeze or Unsqueeze; p or q may be missing
// After:   MatMul(a, b)
//
// The result has the shape of MatMul(a, b), and each of its rows is the product of the same row and the same matrix:
// p keeps the last extent of a, and q(b) and b hold one matrix, the same; or p and q keep the last two extents, and
// either p(a) and a hold one matrix, or p(a) and q(b) have the same batch, and a and b have. Extents are compared by
// number or symbol. A vector a is a row, a vector b a column, and one of them is none. p and q may have other readers.

namespace graft::inline v1 {

extern const RuleView reshape_matmul_reshape;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/eliminate/reshape_matmul_reshape.ipp>
#endif
