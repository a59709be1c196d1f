#pragma once
#include <graft/surgery/reorder_inputs.hpp>

#include <string>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass reorder_inputs(std::vector<std::size_t> permutation) {
  return pass("reorder_inputs", [permutation = std::move(permutation)](Graph& graph, Context&) {
    const auto inputs = graph.inputs();
    if (permutation.size() != inputs.size())
      throw Error("the permutation has " + std::to_string(permutation.size()) + " elements; the graph has " +
                  std::to_string(inputs.size()) + " inputs");
    std::vector<bool> is_placed(inputs.size());
    std::vector<Value*> order;
    Report report;
    for (const std::size_t from : permutation) {
      if (from >= inputs.size() || is_placed[from])
        throw Error(std::to_string(from) + " is out of range, or twice in the permutation");
      is_placed[from] = true;
      if (from != order.size()) ++report.changes;
      order.push_back(inputs[from]);
    }
    if (report.changes != 0) graph.reorder_inputs(order);
    return report;
  }).preserves_all();
}

}  // namespace graft::inline v1
