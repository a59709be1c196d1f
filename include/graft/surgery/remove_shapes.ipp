#pragma once
#include <graft/surgery/remove_shapes.hpp>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/surgery/detail/declared_types.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass remove_shapes() {
  return pass("remove_shapes", [](Graph& graph, Context&) {
    Report report;
    for (Graph* const scope : with_bodies(graph)) {
      for (Value* const value : detail::inner_values(*scope)) {
        if (value->type() == nullptr) continue;
        scope->declare_type(*value, onnx::TypeProto());
        ++report.changes;
      }
    }
    return report;
  }).preserves_all();
}

}  // namespace graft::inline v1
