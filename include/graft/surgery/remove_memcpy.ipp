#pragma once
#include <graft/surgery/remove_memcpy.hpp>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/surgery/detail/bypass.hpp>

namespace graft::inline v1 {

namespace detail {

inline bool is_memcpy(const Node& node) {
  const bool is_named_so = node.op_type() == "MemcpyFromHost" || node.op_type() == "MemcpyToHost";
  return is_named_so && (node.domain().empty() || node.domain() == "com.microsoft") && node.output_count() == 1 &&
         node.input(0) != nullptr;
}

}  // namespace detail

GRAFT_INLINE Pass remove_memcpy() {
  return pass("remove_memcpy", [](Graph& graph, Context&) {
    Report report;
    Transaction transaction(graph);
    for (Graph* const scope : scopes_of(graph)) {
      for (Node& node : scope->nodes()) {
        if (!detail::is_memcpy(node)) continue;
        detail::bypass(node, *node.input(0));
        ++report.changes;
      }
    }
    transaction.keep();
    return report;
  }).preserves_all();
}

}  // namespace graft::inline v1
