#pragma once
#include <graft/surgery/fix_dim.hpp>

#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/surgery/detail/dim_names.hpp>
#include <graft/surgery/detail/retyping.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass fix_dim(std::string symbol, std::int64_t value) {
  return pass("fix_dim", [symbol = std::move(symbol), value](Graph& graph, Context& context) {
    Report report;
    if (value < 0) throw Error("an extent is not negative").field(symbol);
    const auto fix = [&](detail::DimProto& dim) {
      if (!dim.has_dim_param() || !detail::with_symbol(dim.dim_param(), symbol, symbol)) return false;
      const bool is_it = dim.dim_param() == symbol;
      dim.clear_dim_param();  // of an expression inference finds the value, if anything does
      if (is_it) dim.set_dim_value(value);
      return true;
    };
    detail::Retyping types(graph, context);
    Transaction transaction(graph);
    report.changes = symbol.empty() ? 0 : detail::change_dims(graph, fix);
    if (report.changes == 0) throw Error("no dim of the model has this name").field(symbol);
    const std::string problem =
        types.run([&](const Value&, onnx::TypeProto& type) { detail::for_each_dim(type, fix); });
    if (!problem.empty()) throw Error("cannot be " + std::to_string(value) + ": " + problem).field(symbol);
    transaction.keep();
    return report;
  }).preserves_all();
}

}  // namespace graft::inline v1
