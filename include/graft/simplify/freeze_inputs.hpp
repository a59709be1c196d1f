#pragma once
#include <vector>

#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// Graph inputs that have an initializer stop being inputs: from IR 4 on a caller could override them, now they are
/// constants. The signature changes. Below IR 4 they are constants already, and stay as they are.
inline Pass freeze_inputs() {
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
  });
}

}  // namespace graft::inline v1
