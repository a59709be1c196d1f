#pragma once
#include <string>
#include <vector>

#include <graft/rewrite/pass.hpp>

// Before:  graph(x, k): h = f(x), g = m(h, k), y = n(g)      return y
// After:   graph(h, k): g = m(h, k)                          return g
//
// For the inputs h, k and the output g. Everything that the outputs are computed from is computed from the inputs and
// constants. Types of the inputs are declared or can be inferred. The signature changes; of what stays, values and
// shapes do not.

namespace graft::inline v1 {

/// Cuts out what computes the outputs from the inputs: names of values of the graph, which become its signature in this
/// order. An input of the graph that is not named stays if it has a default and is read. What is computed no more goes,
/// initializers too; functions and metadata stay. Throws Error, with the graph as it was, for names of no value or that
/// stand twice, for an input whose type is not known, and for inputs of the graph that would have to be named as well.
Pass extract_subgraph(std::vector<std::string> inputs, std::vector<std::string> outputs);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/extract_subgraph.ipp>
#endif
