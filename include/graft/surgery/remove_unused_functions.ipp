#pragma once
#include <graft/surgery/remove_unused_functions.hpp>

#include <cstddef>
#include <unordered_set>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/local_functions.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/surgery/detail/remove_with_imports.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass remove_unused_functions() {
  return pass("remove_unused_functions", [](Graph& graph, Context&) {
    Report report;
    Model& model = graph.model();
    if (model.functions().empty()) return report;
    if (model.proto().training_info_size() != 0) {
      report.notes.push_back("left the functions, which training_info may call");
      return report;
    }
    const LocalFunctions functions(model);
    std::unordered_set<const Graph*> called;
    std::vector<const Graph*> open{&model.graph()};
    for (std::size_t i = 0; i < open.size(); ++i) {
      functions.for_each_call(*open[i], [&](const Node&, const Graph& function) {
        if (called.insert(&function).second) open.push_back(&function);
      });
    }
    std::vector<Graph*> unused;
    for (Graph* const function : model.functions())
      if (!called.contains(function)) unused.push_back(function);
    report.changes = unused.size();
    detail::remove_with_imports(model, unused);
    return report;
  }).preserves_all();
}

}  // namespace graft::inline v1
