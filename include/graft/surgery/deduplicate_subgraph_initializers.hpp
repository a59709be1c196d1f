#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  w = 3, y = If(c) {then_branch={ v = 3; t = Add(x, v) }, else_branch={ u = 3; e = Mul(x, u) }}
// After:   w = 3, y = If(c) {then_branch={ t = Add(x, w) }, else_branch={ e = Mul(x, w) }}
//
// Initializers of bodies that are equal bit for bit, of one dtype and shape, to one of a scope around them, or to each
// other. They are constant, neither inputs nor outputs of their body, and not annotated. Values, shapes and signature
// do not change.

namespace graft::inline v1 {

/// Of equal initializers in bodies one serves all: one of a scope around them, or one of them, which moves to the
/// nearest scope that they have in common. eliminate_common_subexpressions() merges those of one scope.
Pass deduplicate_subgraph_initializers();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/deduplicate_subgraph_initializers.ipp>
#endif
