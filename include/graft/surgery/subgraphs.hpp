#pragma once
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/model.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  graph(x, k): h = f(x), g = m(h, k), y = n(g)      return y
// After:   graph(h, k): g = m(h, k)                          return g
//
// For the inputs h, k and the output g. Everything that the outputs are computed from is computed from the inputs and
// constants. Types of the inputs are declared or can be inferred. The signature changes; of what stays, values and
// shapes do not.

/// Cuts out what computes the outputs from the inputs: names of values of the graph, which become its signature in this
/// order. An input of the graph that is not named stays if it has a default and is read. What is computed no more goes,
/// initializers too; functions and metadata stay. Throws Error, with the graph as it was, for names of no value or that
/// stand twice, for an input whose type is not known, and for inputs of the graph that would have to be named as well.
Pass extract_subgraph(std::vector<std::string> inputs, std::vector<std::string> outputs);

// Before:  graph(x, z): h = f(x), s = g(h), t = m(s), y = n(t, h, z)      return y, s
// After:   graph(x): h = f(x), s = g(h)                                   return s, h
//          graph(s, h, z): t = m(s), y = n(t, h, z)                       return y
//
// For the value s. The first model has what s is computed from, and hands out what the second one reads of it.
// Constants that both read are in both.

/// Two models which do, one behind the other, what the model does: the first one computes the values of the main graph
/// that are named, the second one the rest. Inputs of the second are these values, others that it reads of the first,
/// and inputs of the model in their order. Outputs of the model that the first one computes are outputs of it. Both
/// keep functions and metadata. merge_models() is the way back. Throws Error for a name of no value that a node makes,
/// if the first would be the whole model, and for a value between them whose type is not known. Commits the model, and
/// leaves it as it is.
std::pair<Model, Model> split_model(Model& model, const std::vector<std::string>& values);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/subgraphs.ipp>
#endif
