#pragma once
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// All readers of the value, in all scopes, read `by` instead: nodes except the producer of `by`, and outputs of
/// bodies. Outputs of the value's own graph stay. Throws Error, with some of it done, if that would close a cycle.
void read_behind(Value& value, Value& by);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/rewrite/read_behind.ipp>
#endif
