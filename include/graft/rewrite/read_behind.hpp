#pragma once
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// Rewires all readers of the value, in all scopes, to `by`: nodes except the producer of `by`, and outputs of bodies.
/// Outputs of the value's graph stay. Throws Error if that would close a cycle; earlier readers are then rewired
/// already.
void read_behind(Value& value, Value& by);

}  // namespace graft::inline v1
