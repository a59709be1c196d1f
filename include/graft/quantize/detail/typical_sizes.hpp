#pragma once
#include <graft/graph/graph.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/rewrite/context.hpp>

namespace graft::inline v1::detail {

/// As long as it lives, the tensors of a graph have the extents that samples have shown, by the InputExtents of the
/// facts, where the graph leaves them open: costs that are asked for meanwhile are those of such sizes. Then their types
/// are what they were. The graph must not be changed meanwhile, and whether a rewrite is allowed must not be asked.
class TypicalSizes {
 public:
  TypicalSizes(Graph& graph, const Context& context);

 private:
  Transaction types_;
};

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/detail/typical_sizes.ipp>
#endif
