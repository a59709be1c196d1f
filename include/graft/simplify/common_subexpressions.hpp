#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  f(x, ...), f(x, ...); two equal initializers
// After:   one of them, which serves all readers
//
// f is deterministic, has no bodies, and has a schema. Attributes are equal, defaults included. Operands are in the
// same order unless f is commutative. Two nodes stay if both have graph outputs, and one node would need several
// Identities for their names. Initializers are constant, and neither graph outputs nor annotated.

struct CommonSubexpressionOptions {
  bool nodes = true;
  bool initializers = true;
};

/// Merges nodes of one scope that compute the same, and equal initializers, into the first of them. Equal nodes have
/// the same operator, inputs (in any order if it is commutative) and attributes, defaults included. Initializers that
/// graft cannot read are equal if they are stored in the same way. Random operators, operators with bodies, and
/// operators without a schema stay. If the Context is cancelled, the remaining nodes stay as they are.
Pass eliminate_common_subexpressions(CommonSubexpressionOptions options = {});

}  // namespace graft::inline v1
