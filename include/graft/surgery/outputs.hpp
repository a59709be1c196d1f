#pragma once
#include <string>
#include <vector>

#include <graft/graph/name_pattern.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  h = f(x), y = g(h)          return y
// After:   the same                    return y, h
//
// The example names the node f. The type of h is declared or can be inferred. The signature changes; values and shapes
// stay.

/// Appends the first outputs of these nodes to the graph outputs, in the order of the nodes; existing outputs are not
/// repeated. A node without a name has its name in reports, "Neg(h)". Throws Error, with the graph as it was, if no
/// node, or more than one, has a name, if the node omits the output, or if its type is unknown. expose_values() uses
/// names of values.
Pass expose_outputs(std::vector<std::string> nodes);

// Before:  h = f(x), y = g(h)          return y
// After:   the same                    return y, h
//
// The example has a pattern that matches h, which a node computes. The signature changes; values and shapes stay.

/// Appends values that nodes of the graph compute to its outputs, if their names match one of the patterns, in the
/// order of the nodes. Values of unknown type stay inner ones, with a note. Throws Error if a pattern matches no value
/// of the graph.
Pass expose_values(std::vector<NamePattern> names);

// Before:  q = QuantizeLinear(x, s, z), y = DequantizeLinear(q, s2, z2)      return y
// After:   q, y_exposed_scale_output = Identity(s2), y_exposed_zero_point_output = Identity(z2)
//                                              return q, y_exposed_scale_output, y_exposed_zero_point_output
//
// The example is for the output y. q replaces it; scale and zero point follow all other outputs, with their own types
// and shapes. If z2 is absent, the zero point is zeros of the type of q. y stays for other nodes that read it. q is not
// an output yet. Values and signature change.

/// Gives callers the integers of an output, with their scale and zero point. Throws Error, with the graph as it was, if
/// no output has the name, or if it is not computed in this way.
Pass expose_quantized_output(std::string output);

// Before:  h = f(x), y = g(h)          return y
// After:   the same                    return y, h
//
// The type of h is declared or can be inferred. The signature changes; values and shapes stay.

/// Appends these values to the graph outputs, in this order; existing outputs are not repeated. Throws Error, with the
/// graph as it was, if no value has a given name, or if its type is unknown.
Pass add_intermediate_tensors_to_outputs(std::vector<std::string> names);

/// The same for all outputs of nodes, in the order of the nodes. Values of unknown type stay inner ones, with a note.
Pass add_intermediate_tensors_to_outputs();

}  // namespace graft::inline v1
