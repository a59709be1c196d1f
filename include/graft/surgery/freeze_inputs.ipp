#pragma once
#include <graft/surgery/freeze_inputs.hpp>

#include <vector>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass freeze_inputs() {
  return pass("freeze_inputs", [](Graph& graph, Context&) {
    Report report;
    if (graph.model().ir_version() < 4) return report;
    const std::vector<Value*> inputs(graph.inputs().begin(), graph.inputs().end());
    for (Value* const input : inputs) {
      if (input->initializer() == nullptr) continue;
      graph.remove_input(*input);
      ++report.changes;
    }
    return report;
  }).preserves_all();
}

}  // namespace graft::inline v1
