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
                  Report typed;
                  infer_shapes(graph, context.infer_options({}, &typed));
                  Report report = inner.run(graph, context);
                  report.warnings.insert(report.warnings.begin(), typed.warnings.begin(), typed.warnings.end());
                  if (report.changes != 0) graph.model().drop_unused_opset("com.microsoft");
                  return report;
                })
      .named(std::move(name));
}

}  // namespace graft::inline v1
