#pragma once
#include <cstddef>

#include <graft/graph/graph.hpp>

namespace graft::inline v1::detail {

/// How two main graphs differ that were made of one, by names. Commits both models.
struct GraphDifference {
  /// How many nodes from the first on are the same, and read the same constants.
  std::size_t first = 0;
  bool is_none = false;             ///< all nodes and outputs are the same
  bool in_constants_alone = false;  ///< nodes behind them read other constants, and nothing else differs

  GraphDifference(const Graph& a, const Graph& b);
};

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/tune/detail/graph_difference.ipp>
#endif
