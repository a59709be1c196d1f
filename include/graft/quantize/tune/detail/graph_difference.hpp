#pragma once
#include <cstddef>

#include <graft/graph/graph.hpp>

namespace graft::inline v1::detail {

/// The difference between two main graphs with a common origin, by names. Commits both models.
struct GraphDifference {
  /// The number of leading nodes that are the same and read the same constants.
  std::size_t first = 0;
  bool is_none = false;             ///< all nodes and outputs are the same
  bool in_constants_alone = false;  ///< later nodes read other constants, and nothing else differs

  GraphDifference(const Graph& a, const Graph& b);
};

}  // namespace graft::inline v1::detail
