#pragma once
#include <graft/graph/model.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// Checks that every initializer of every scope can be read. Throws Error with file and tensor for data of the wrong
/// length, and for negative or overflowing dims. It also throws for external data that is missing, short or outside the
/// model's folder. Loading does not read contents, and a pass reads only those that it needs. Strings and unknown
/// dtypes are not checked.
void check_initializers(const Model& model);

}  // namespace graft::inline v1
