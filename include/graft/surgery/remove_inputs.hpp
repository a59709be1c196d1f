#pragma once
#include <string>
#include <vector>

#include <graft/rewrite/pass.hpp>

// Before:  y = Sum(x, z, w), v = Clip(y, z), u = Add(v, z), t = Conv(z, k)
// After:   y = Sum(x, w), v = Clip(y), u = v
//
// For the input z, its default with it. What reads it goes on without: an operand of a variadic operator is left out,
// an optional input is absent, of Add, Mul, And, Or, Xor the other operand remains, of Sub, Div and Pow the first one.
// A node that needs it goes, and what that made is taken out in the same way; no output of the graph or of a body
// depends on it alone. Values, shapes and signature change.

namespace graft::inline v1 {

/// Takes inputs of the graph out, with all that cannot be computed without them. Nodes that only these read stay, for
/// eliminate_dead_code(). Throws Error, with the graph as it was, for a name of no input, if an output could not be
/// computed any more, or if what is left would not fit together.
Pass remove_inputs(std::vector<std::string> names);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/remove_inputs.ipp>
#endif
