#pragma once
#include <graft/qonnx/cleanup/unique_parameters.hpp>

#include <cstddef>
#include <string>
#include <unordered_set>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE Pass unique_parameters() {
  return pass("unique_parameters", [](Graph& graph, Context&) {
    Report report;
    std::unordered_set<const Value*> seen;
    for (Graph* const scope : scopes_of(graph)) {
      for (Node& node : scope->nodes()) {
        for (std::size_t i = 0; i < node.input_count(); ++i) {
          Value* const value = node.input(i);
          if (value == nullptr || value->initializer() == nullptr || !value->is_constant()) continue;
          if (!value->is_graph_output() && seen.insert(value).second) continue;
          Value& copy = value->graph().add_initializer(onnx::TensorProto(*value->initializer()));
          if (value->type() != nullptr) copy.graph().set_type(copy, *value->type());
          if (!scope->set_input(node, i, &copy)) throw Error("a copy of an initializer closes no cycle");
          ++report.changes;
        }
      }
    }
    return report;
  }).preserves_all();
}

}  // namespace graft::inline v1::qonnx
