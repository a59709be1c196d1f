#pragma once
#include <functional>

#include <graft/graph/model.hpp>

namespace graft::inline v1 {

/// A smaller model for which the predicate still holds, for example "this pass goes wrong". As long as the predicate
/// stays true, outputs are removed or replaced by the inputs of their node, and nodes by graph inputs of their output
/// types. A node with unknown output types stays. Precondition: the predicate holds for the model.
Model shrink(const Model& model, const std::function<bool(const Model&)>& holds);

}  // namespace graft::inline v1
