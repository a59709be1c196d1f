#pragma once
#include <graft/graph/graph.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/rewrite/context.hpp>

namespace graft::inline v1::detail {

/// As long as it lives, the tensors of a graph have the extents that samples have shown, by the InputExtents of the
/// facts, where the graph leaves them open: costs that are asked for meanwhile are those of such sizes. Then the types
/// are what they were. The graph must not be changed meanwhile, nor be asked what is true of it for other sizes.
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
