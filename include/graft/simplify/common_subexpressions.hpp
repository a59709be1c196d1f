#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  f(x, ...), f(x, ...); two equal initializers
// After:   one, which serves all users
//
// f is deterministic, without bodies and known by its schema; attributes are equal, defaults included; operands are in
// the same order unless f is commutative. Two that would take several Identities, where outputs of both are outputs of
// the graph, stay. Initializers are constant, and neither graph outputs nor annotated.

struct CommonSubexpressionOptions {
  bool nodes = true;
  bool initializers = true;
};

/// Of nodes of one scope that compute the same, the first serves all: the same operator over the same inputs (in any
/// order where it is commutative), with the same attributes, defaults included. So do equal initializers; one that
/// cannot be read equals what is stored in the same way. Random operators, those with bodies and those that graft has
/// no schema of stay. Once the Context is cancelled, what is left stays as it is.
Pass eliminate_common_subexpressions(CommonSubexpressionOptions options = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/common_subexpressions.ipp>
#endif
