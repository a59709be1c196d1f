#pragma once
#include <graft/rewrite/on_typed_graph.hpp>

#include <utility>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/model.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass on_typed_graph(std::string name, const Pass& pass) {
  return around(pass,
                [](const Pass& inner, Graph& graph, Context& context) {
                  infer_shapes(graph, {.custom = context.shape_functions});
                  Report report = inner.run(graph, context);
                  if (report.changes != 0) graph.model().drop_unused_opset("com.microsoft");
                  return report;
                })
      .named(std::move(name));
}

}  // namespace graft::inline v1
