#pragma once
#include <graft/graph/graph.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/rewrite/context.hpp>

namespace graft::inline v1::detail {

/// Sets open extents of a graph's tensors, during its lifetime, to those of the samples, by the InputExtents of the
/// facts. Costs are then those of these sizes. The destructor restores the types. Meanwhile, do not change the graph,
/// and do not ask questions whose answers must hold for other sizes.
class TypicalSizes {
 public:
  TypicalSizes(Graph& graph, const Context& context);

 private:
  Transaction types_;
};

}  // namespace graft::inline v1::detail
