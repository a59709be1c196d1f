#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// Turns graph inputs with an initializer into constants. Since IR 4, callers could override them, so the signature
/// changes. Below IR 4 they are constants already, and stay, with a note.
Pass freeze_inputs();

// Before:  y = Sum(x, z, w), v = Clip(y, z), u = Add(v, z), t = Conv(z, k)
// After:   y = Sum(x, w), v = Clip(y), u = v
//
// The example removes z and its default. Readers of z stay if they can do without it. A variadic operator loses the
// operand, and an optional input becomes absent. Add, Mul, And, Or and Xor become their other operand; Sub, Div and Pow
// become their first one. Other readers are removed, and their outputs in the same way. No output of the graph or of a
// body depends on z alone. Values, shapes and signature change.

/// Removes graph inputs, with all nodes that need them. Nodes that only these nodes read stay, for
/// eliminate_dead_code(). Throws Error, with the graph as it was, if no input has a given name, if an output could not
/// be computed any more, or if the remaining nodes would not fit each other.
Pass remove_inputs(std::vector<std::string> names);

// Before:  graph(a, b, c)
// After:   graph(c, a, b) for {2, 0, 1}
//
// For a graph of n inputs, the permutation has each of 0 ... n-1 once; inputs with an initializer count. The signature
// changes; values and shapes stay.

/// Makes the old input permutation[k] the new input k. Throws Error, with the graph as it was, if it is not a
/// permutation of the inputs.
Pass reorder_inputs(std::vector<std::size_t> permutation);

// Before:  y = Add(x, z), its node called 'sum'
// After:   sum_zero_output_0 = Constant() {value = zeros of the type of z}, y = Add(x, sum_zero_output_0)
//
// The example is for input 1 of 'sum'. dtype and rank of z are known; an unknown extent becomes 1. Values change, and
// shapes if such an extent is not 1. z stays: a graph input stays in the signature.

/// Replaces one input of a node by zeros. The node may be in a body; a node without a name has its name in reports,
/// "Add(y)". The input stays, with a note, if it is absent, if its type is unknown or has no zeros, or if the model
/// would not fit together. Throws Error if no node, or more than one, has the name.
Pass zero_out_input(std::string node, std::size_t input);

}  // namespace graft::inline v1
