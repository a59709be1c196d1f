#pragma once
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/problem.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// Lists the faults of a graph and of its bodies:
/// - an opset newer than schema::newest_opset, and operators that the imported opset lacks;
/// - names that are defined twice, and reads of values that are erased, out of scope or not yet computed;
/// - missing and surplus inputs, outputs and attributes, and attributes of the wrong kind;
/// - input types that the operator rejects or that do not fit each other;
/// - declared outputs that contradict the inferred ones, except in a branch of If that its constant condition excludes;
/// - initializers that cannot be read.
/// Only known types are checked: infer_shapes() first finds more. Operators without a schema are checked for their
/// wiring only. Never throws for a faulty graph, and changes nothing.
std::vector<Problem> verify(Graph& graph);

/// Lists the faults of the main graph and of the local functions. A main graph without outputs is a fault. So are
/// functions that call themselves, and functions that share domain, name and overload.
std::vector<Problem> verify(Model& model);

}  // namespace graft::inline v1
