#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  w = 3, y = If(c) {then_branch={ v = 3; t = Add(x, v) }, else_branch={ u = 3; e = Mul(x, u) }}
// After:   w = 3, y = If(c) {then_branch={ t = Add(x, w) }, else_branch={ e = Mul(x, w) }}
//
// The initializers are equal bit for bit, with one dtype and shape. One is in a body, the other in a scope around it or
// in another body. They are constant, neither inputs nor outputs of their body, and not annotated. Values, shapes and
// signature stay.

namespace graft::inline v1 {

/// Merges equal initializers in bodies into one of a scope around them. If there is none, one of them moves to their
/// nearest common scope. eliminate_common_subexpressions() merges initializers of one scope.
Pass deduplicate_subgraph_initializers();

}  // namespace graft::inline v1
