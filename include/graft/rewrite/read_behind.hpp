#pragma once
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// What reads the value, in all scopes, reads `by` from then on: nodes but for the one that makes `by`, and what bodies
/// hand out. Outputs of the value's own graph stay. Throws Error, with some of it done, if that would close a cycle.
void read_behind(Value& value, Value& by);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/rewrite/read_behind.ipp>
#endif
