#pragma once
#include <graft/surgery/rename_dim.hpp>

#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/surgery/detail/dim_names.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass rename_dim(std::string from, std::string to) {
  return pass("rename_dim", [from = std::move(from), to = std::move(to)](Graph& graph, Context&) {
    Report report;
    if (from.empty() || to.empty()) throw Error("a dim without a name cannot be renamed, nor lose its name");
    if (from == to) return report;
    bool is_taken = false;
    detail::change_dims(graph, [&](const detail::DimProto& dim) {
      is_taken = is_taken || detail::with_symbol(dim.dim_param(), to, to).has_value();
      return false;
    });
    if (is_taken) throw Error("a dim of the model has this name already").field(to);
    Transaction transaction(graph);
    report.changes = detail::replace_symbol(graph, from, to);
    if (report.changes == 0) throw Error("no dim of the model has this name").field(from);
    transaction.keep();
    return report;
  }).preserves_all();
}

}  // namespace graft::inline v1
