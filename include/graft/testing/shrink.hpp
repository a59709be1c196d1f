#pragma once
#include <functional>

#include <graft/graph/model.hpp>

namespace graft::inline v1 {

/// A smaller model for which the predicate still holds, such as "this pass goes wrong": outputs are dropped, or give
/// way to what their node reads, and nodes are replaced by graph inputs of the types that they compute, as long as any
/// of that leaves it true. A node whose types are not known stays. Precondition: it holds for the model.
Model shrink(const Model& model, const std::function<bool(const Model&)>& holds);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/testing/shrink.ipp>
#endif
