#pragma once
#include <string>
#include <vector>

#include <graft/graph/name_pattern.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  h = f(x), y = g(h)          return y
// After:   the same                    return y, h
//
// For the name of the node f. Its type is declared or can be inferred. The signature changes; values and shapes do not.

/// Makes the first outputs of these nodes of the graph outputs of it, behind the others, in the order of the nodes;
/// those that are outputs already are not listed twice. A node without a name is called as in reports, "Neg(h)". Throws
/// Error, with the graph as it was, for a name of no node, or of several, and for an output that the node omits or
/// whose type is not known. expose_values() goes by the names of values.
Pass expose_outputs(std::vector<std::string> nodes);

// Before:  h = f(x), y = g(h)          return y
// After:   the same                    return y, h
//
// For a pattern that matches the name of h, which a node makes. The signature changes; values and shapes do not.

/// Makes the values that nodes of the graph make, and whose names match one of the patterns, outputs of it, behind the
/// others, in the order of the nodes. Those whose type is not known stay inner ones, with a note. Throws Error for a
/// pattern that matches no value of the graph.
Pass expose_values(std::vector<NamePattern> names);

// Before:  q = QuantizeLinear(x, s, z), y = DequantizeLinear(q, s2, z2)      return y
// After:   q, y_exposed_scale_output = Identity(s2), y_exposed_zero_point_output = Identity(z2)
//                                              return q, y_exposed_scale_output, y_exposed_zero_point_output
//
// For the output y. q takes its place; scale and zero point come behind all other outputs, of their own types and
// shapes. Where z2 is absent, zeros of the type of q. y stays where other nodes read it. q is no output yet. Values and
// signature change.

/// Gives callers the integers behind an output, and what turns them into floats. Throws Error, with the graph as it
/// was, for a name of no output, or if it is not computed in this way.
Pass expose_quantized_output(std::string output);

// Before:  h = f(x), y = g(h)          return y
// After:   the same                    return y, h
//
// The type of h is declared or can be inferred. The signature changes; values and shapes do not.

/// Makes these values of the graph outputs of it, behind the others, in this order; those that are outputs already are
/// not listed twice. Throws Error, with the graph as it was, for a name of no value, and for one whose type is not
/// known.
Pass add_intermediate_tensors_to_outputs(std::vector<std::string> names);

/// The same for all that nodes of the graph make, in their order. Those whose type is not known stay inner ones, with a
/// note.
Pass add_intermediate_tensors_to_outputs();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/outputs.ipp>
#endif
