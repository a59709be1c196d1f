#pragma once
#include <cstddef>
#include <vector>

#include <graft/graph/dtype.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// An input whose dtype the operator rejects.
struct MistypedInput {
  std::size_t index;
  /// The dtype of an earlier input that must be the same; undefined if the operator never accepts this dtype there.
  DType wanted;
};

/// The inputs whose dtypes this version of the operator rejects, or that differ within a type group. Unknown dtypes and
/// operators without a schema are skipped.
std::vector<MistypedInput> mistyped_inputs(const Node& node);

}  // namespace graft::inline v1
