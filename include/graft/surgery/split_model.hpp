#pragma once
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/model.hpp>

// Before:  graph(x, z): h = f(x), s = g(h), t = m(s), y = n(t, h, z)      return y, s
// After:   graph(x): h = f(x), s = g(h)                                   return s, h
//          graph(s, h, z): t = m(s), y = n(t, h, z)                       return y
//
// For the value s. The first model has what s is computed from, and hands out what the second one reads of it.
// Constants that both read are in both.

namespace graft::inline v1 {

/// Two models which do, one behind the other, what the model does: the first one computes the values of the main graph
/// that are named, the second one the rest. Inputs of the second are these values, others that it reads of the first,
/// and inputs of the model in their order. Outputs of the model that the first one computes are outputs of it. Both
/// keep functions and metadata. merge_models() is the way back. Throws Error for a name of no value that a node makes,
/// if the first would be the whole model, and for a value between them whose type is not known. Commits the model, and
/// leaves it as it is.
std::pair<Model, Model> split_model(Model& model, const std::vector<std::string>& values);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/surgery/split_model.ipp>
#endif
