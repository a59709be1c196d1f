#pragma once
#include <graft/graph/model.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// Throws Error naming file and tensor if an initializer of any scope cannot be read: data of the wrong length,
/// negative or overflowing dims, external data that is missing, short or outside the model's folder. Loading a model
/// does not look at contents, and a pass only at those that it needs. Strings, and dtypes that graft does not know, are
/// left to their readers.
void check_initializers(const Model& model);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/graph/initializers.ipp>
#endif
