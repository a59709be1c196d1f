#pragma once
#include <graft/surgery/expose_values.hpp>

#include <cstddef>
#include <string>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/surgery/detail/expose.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass expose_values(std::vector<NamePattern> names) {
  return pass("expose_values", [patterns = std::move(names)](Graph& graph, Context& context) {
    Report report;
    std::vector<bool> is_met(patterns.size());
    std::vector<Value*> wanted;
    for (Node& node : graph.nodes()) {
      for (Value& output : node.outputs()) {
        if (output.name().empty()) continue;
        bool is_wanted = false;
        for (std::size_t i = 0; i < patterns.size(); ++i) {
          if (!patterns[i].matches(output.name())) continue;
          is_met[i] = is_wanted = true;
        }
        if (is_wanted && !output.is_graph_output()) wanted.push_back(&output);
      }
    }
    for (std::size_t i = 0; i < patterns.size(); ++i)
      if (!is_met[i]) throw Error("matches no value that a node of the graph makes").field(patterns[i].text());
    infer_shapes(graph, context.infer_options());
    for (Value* const value : wanted) {
      if (!detail::has_type(*value)) {
        report.notes.push_back("'" + std::string(value->name()) + "' is no output: its type is not known");
        continue;
      }
      detail::expose(graph, *value);
      ++report.changes;
    }
    return report;
  }).preserves_all();
}

}  // namespace graft::inline v1
