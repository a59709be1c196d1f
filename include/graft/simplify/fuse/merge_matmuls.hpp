#pragma once
#include <span>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rewriter.hpp>

// Before:  MatMul(x, w1), MatMul(x, w2), ...        anywhere in one scope
// After:   Split(MatMul(x, [w1 w2 ...]))            along the last axis
//
// x is of known rank. The weights are constant matrices of one dtype that nothing else reads, so that none is kept
// twice.

namespace graft::inline v1 {

namespace detail {

Verdict merge_matmuls(std::span<Node* const> products, Rewriter& rewriter);

}  // namespace detail

/// Several MatMuls of one value by constant matrices become one, and a Split.
Pass merge_matmuls();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/fuse/merge_matmuls.ipp>
#endif
