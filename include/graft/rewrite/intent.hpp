#pragma once
#include <string_view>

namespace graft::inline v1 {

/// The permitted changes of a rewrite. By default it keeps every value and shape, and the signature of the graph.
struct Intent {
  std::string_view values{};  // how far values may move, in words; empty: they must not move
  bool shapes = false;
  bool signature = false;  // names, number and order of graph inputs and outputs
};

}  // namespace graft::inline v1
