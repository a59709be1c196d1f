#pragma once
#include <string>

#include <graft/rewrite/pass.hpp>

// Before:  q = QuantizeLinear(x, s, z), y = DequantizeLinear(q, s2, z2)      return y
// After:   q, y_exposed_scale_output = Identity(s2), y_exposed_zero_point_output = Identity(z2)
//                                              return q, y_exposed_scale_output, y_exposed_zero_point_output
//
// For the output y. q takes its place; scale and zero point come behind all other outputs, of their own types and
// shapes. Where z2 is absent, zeros of the type of q. y stays where other nodes read it. q is no output yet. Values and
// signature change.

namespace graft::inline v1 {

/// Gives callers the integers behind an output, and what turns them into floats. Throws Error, with the graph as it
/// was, for a name of no output, or if it is not computed in this way.
Pass expose_quantized_output(std::string output);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/expose_quantized_output.ipp>
#endif
