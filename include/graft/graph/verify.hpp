#pragma once
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/problem.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// What is wrong with a graph and the bodies in it: an opset newer than schema::newest_opset; names defined twice,
/// reads of what is erased, of another scope or not yet computed; operators that the imported opset lacks, missing and
/// surplus inputs, outputs and attributes, attributes of the wrong kind; inputs of types that the operator does not
/// take or that do not fit each other, declared outputs that contradict the inferred ones (except in a branch of If
/// that the condition is known not to take); initializers that cannot be read. Types are checked as far as they are
/// known: infer_shapes() first finds more. Operators without a schema are only checked for their wiring. Throws nothing
/// for a bad graph, and changes nothing.
std::vector<Problem> verify(Graph& graph);

/// What is wrong with the main graph, its lack of outputs too, and with the local functions, which must not call
/// themselves nor have the domain, name and overload of each other.
std::vector<Problem> verify(Model& model);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/graph/verify.ipp>
#endif
