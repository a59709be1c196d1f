#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// Graph inputs that have an initializer stop being inputs: from IR 4 on a caller could override them, now they are
/// constants. The signature changes. Below IR 4 they are constants already, and stay, with a note.
Pass freeze_inputs();

// Before:  y = Sum(x, z, w), v = Clip(y, z), u = Add(v, z), t = Conv(z, k)
// After:   y = Sum(x, w), v = Clip(y), u = v
//
// For the input z, its default with it. What reads it goes on without: an operand of a variadic operator is left out,
// an optional input is absent, of Add, Mul, And, Or, Xor the other operand remains, of Sub, Div and Pow the first one.
// A node that needs it goes, and what that made is taken out in the same way; no output of the graph or of a body
// depends on it alone. Values, shapes and signature change.

/// Takes inputs of the graph out, with all that cannot be computed without them. Nodes that only these read stay, for
/// eliminate_dead_code(). Throws Error, with the graph as it was, for a name of no input, if an output could not be
/// computed any more, or if what is left would not fit together.
Pass remove_inputs(std::vector<std::string> names);

// Before:  graph(a, b, c)
// After:   graph(c, a, b) for {2, 0, 1}
//
// The permutation holds each of 0 ... n-1 once, for a graph of n inputs; those that have an initializer count. The
// signature changes; values and shapes do not.

/// The new input k is the old input permutation[k]. Throws Error, with the graph as it was, if it is no permutation of
/// the inputs.
Pass reorder_inputs(std::vector<std::size_t> permutation);

// Before:  y = Add(x, z), its node called 'sum'
// After:   sum_zero_output_0 = Constant() {value = zeros of the type of z}, y = Add(x, sum_zero_output_0)
//
// For input 1 of 'sum'. dtype and rank of z are known; an extent that is not known becomes 1. Values change, and shapes
// where such an extent is not 1. z stays in place: an input of the graph stays in its signature.

/// Makes one input of a node zeros. Nodes in bodies count, and one without a name is called as in reports, "Add(y)". An
/// input that the node does not give, or whose type is not known or has no zeros, is left as it is, with a note; so is
/// one where the model would not fit together. Throws Error for a name of no node, or of several.
Pass zero_out_input(std::string node, std::size_t input);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/inputs.ipp>
#endif
