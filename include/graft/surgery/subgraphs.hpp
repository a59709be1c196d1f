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
// The example has the inputs h, k and the output g. The outputs depend only on the inputs and on constants. Types of
// the inputs are declared or can be inferred. The signature changes; remaining values and shapes stay.

/// Extracts the nodes that compute the outputs from the inputs. Both are names of values of the graph, which become its
/// signature in this order. Other graph inputs stay if they have a default and a reader. Other nodes and initializers
/// are removed; functions and metadata stay. Throws Error, with the graph as it was, if no value has a given name, if a
/// name is repeated, if the type of an input is unknown, or if the outputs depend on a graph input that is missing.
Pass extract_subgraph(std::vector<std::string> inputs, std::vector<std::string> outputs);

// Before:  graph(x, z): h = f(x), s = g(h), t = m(s), y = n(t, h, z)      return y, s
// After:   graph(x): h = f(x), s = g(h)                                   return s, h
//          graph(s, h, z): t = m(s), y = n(t, h, z)                       return y
//
// The example is for the value s. The first model has the nodes that s depends on, and returns the values that the
// second model reads. Constants that both read are in both.

/// Splits a model into two that, one after the other, compute the same: the first computes the named values of the main
/// graph, the second the rest. Inputs of the second are these values, other values of the first that it reads, and
/// inputs of the model, in their order. If the first computes an output of the model, it is an output of the first.
/// Both keep functions and metadata. merge_models() joins them again.
///
/// Throws Error if no node computes a value of a given name, if the first would be the whole model, or if the type of a
/// value between them is unknown. Commits the model, and does not change it.
std::pair<Model, Model> split_model(Model& model, const std::vector<std::string>& values);

}  // namespace graft::inline v1
