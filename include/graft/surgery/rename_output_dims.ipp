#pragma once
#include <graft/surgery/rename_output_dims.hpp>

#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/surgery/detail/dim_names.hpp>
#include <graft/surgery/detail/names.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass rename_output_dims(std::string output, std::size_t axis, std::string symbol) {
  return pass("rename_output_dims", [name = std::move(output), axis, symbol = std::move(symbol)](Graph& graph,
                                                                                                 Context& context) {
    Report report;
    Value& value = detail::output_called(graph, name);
    if (symbol.empty()) throw Error("the new name of its dim is empty").field(name);
    infer_shapes(graph, context.infer_options({.name_unknown = false}));
    if (axis >= value.shape().rank()) throw Error("has no axis " + std::to_string(axis)).field(name);
    const std::string old(value.shape()[axis].symbol());
    if (old == symbol) return report;
    Transaction transaction(graph);
    onnx::TypeProto type = value.type() != nullptr ? *value.type() : tensor_type(value.dtype(), value.shape());
    type.mutable_tensor_type()->mutable_shape()->mutable_dim(static_cast<int>(axis))->set_dim_param(symbol);
    graph.declare_type(value, type);
    if (!old.empty() && detail::count_in_inputs(graph, old) == 0) detail::replace_symbol(graph, old, symbol);
    transaction.keep();
    report.changes = 1;
    return report;
  }).preserves_all();
}

}  // namespace graft::inline v1
