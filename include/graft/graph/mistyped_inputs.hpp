#pragma once
#include <cstddef>
#include <vector>

#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// An input whose dtype the operator does not take.
struct MistypedInput {
  std::size_t index;
  /// That of an input before, which must be of the same dtype; undefined if the operator never takes this one there.
  DType wanted;
};

/// The inputs whose dtypes are not in the set that this version of the operator takes, or differ within a type group.
/// Unknown dtypes are skipped, and operators without a schema.
std::vector<MistypedInput> mistyped_inputs(const Node& node);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/graph/mistyped_inputs.ipp>
#endif
