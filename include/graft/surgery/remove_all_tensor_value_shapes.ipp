#pragma once
#include <graft/surgery/remove_all_tensor_value_shapes.hpp>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/surgery/detail/declared_types.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass remove_all_tensor_value_shapes() {
  return pass("remove_all_tensor_value_shapes", [](Graph& graph, Context&) {
    Report report;
    for (Graph* const scope : with_bodies(graph)) {
      const detail::Declared declared(*scope);
      for (Value* const value : detail::inner_values(*scope)) {
        if (value->type() == nullptr || !value->type()->has_tensor_type()) continue;
        if (!value->type()->tensor_type().has_shape()) continue;
        onnx::TypeProto type = *value->type();
        type.mutable_tensor_type()->clear_shape();
        declared.retype(*value, type);
        ++report.changes;
      }
    }
    return report;
  }).preserves_all();
}

}  // namespace graft::inline v1
