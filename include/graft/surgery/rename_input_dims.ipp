#pragma once
#include <graft/surgery/rename_input_dims.hpp>

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
#include <graft/surgery/detail/names.hpp>
#include <graft/surgery/detail/retyping.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass rename_input_dims(std::string input, std::size_t axis, std::string symbol) {
  return pass("rename_input_dims", [name = std::move(input), axis, symbol = std::move(symbol)](Graph& graph,
                                                                                               Context& context) {
    Report report;
    Value& value = detail::input_called(graph, name);
    if (symbol.empty()) throw Error("the new name of its dim is empty").field(name);
    if (axis >= value.shape().rank()) throw Error("has no axis " + std::to_string(axis)).field(name);
    const std::string old(value.shape()[axis].symbol());
    if (old == symbol) return report;
    detail::Retyping types(graph, context);
    Transaction transaction(graph);
    const bool is_its_own = !old.empty() && detail::count_in_inputs(graph, old) == 1;
    onnx::TypeProto type = *value.type();
    type.mutable_tensor_type()->mutable_shape()->mutable_dim(static_cast<int>(axis))->set_dim_param(symbol);
    graph.declare_type(value, type);
    const auto rename = [&](detail::DimProto& dim) {
      const auto renamed = detail::with_symbol(dim.dim_param(), old, symbol);
      if (renamed) dim.set_dim_param(*renamed);
      return renamed.has_value();
    };
    if (is_its_own) detail::change_dims(graph, rename);
    const std::string problem = types.run([&](const Value&, onnx::TypeProto& known) {
      if (is_its_own) detail::for_each_dim(known, rename);
    });
    if (!problem.empty()) throw Error("its dim cannot be called so: " + problem).field(name);
    transaction.keep();
    report.changes = 1;
    return report;
  }).preserves_all();
}

}  // namespace graft::inline v1
