#pragma once
#include <graft/surgery/freeze_inputs.hpp>

#include <algorithm>
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
    const std::vector<Value*> inputs(graph.inputs().begin(), graph.inputs().end());
    if (graph.model().ir_version() < 4) {
      if (std::any_of(inputs.begin(), inputs.end(), [](const Value* input) { return input->initializer() != nullptr; }))
        report.notes.push_back("inputs with an initializer stay: below IR 4 they are constants already");
      return report;
    }
    for (Value* const input : inputs) {
      if (input->initializer() == nullptr) continue;
      graph.remove_input(*input);
      ++report.changes;
    }
    return report;
  }).preserves_all();
}

}  // namespace graft::inline v1
