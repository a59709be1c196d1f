#pragma once
#include <graft/surgery/shapes.hpp>

#include <unordered_map>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/infer.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/transaction.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>
#include <graft/surgery/detail/declared_types.hpp>
#include <graft/surgery/detail/dim_names.hpp>
#include <graft/surgery/detail/names.hpp>
#include <graft/surgery/detail/retyping.hpp>

namespace graft::inline v1 {
namespace detail {

/// The declared types of a scope's values, as text, as of the last commit.
inline std::unordered_map<const Value*, std::string> told_types(const Graph& scope) {
  std::unordered_map<const Value*, std::string> types;
  const auto add = [&](const auto& infos) {
    for (const onnx::ValueInfoProto& info : infos) {
      const Value* const value = own_value(scope, info.name());
      if (value != nullptr) types.insert_or_assign(value, to_string(info.type()));
    }
  };
  if (scope.proto() == nullptr) return types;
  add(scope.proto()->input());
  add(scope.proto()->value_info());
  add(scope.proto()->output());
  return types;
}

/// Declares the known type of a value. Returns whether this changes a declaration.
inline bool declare_known(Value& value, const std::unordered_map<const Value*, std::string>& told) {
  if (value.type() == nullptr || value.name().empty()) return false;
  const onnx::TypeProto type = *value.type();
  value.graph().declare_type(value, type);  // an empty type clears it
  const auto before = told.find(&value);
  return before == told.end() || before->second != to_string(type);
}

}  // namespace detail

GRAFT_INLINE Pass infer_shapes() {
  return pass("infer_shapes",
              [](Graph& graph, Context& context) {
                Report report;
                Transaction transaction(graph);
                const auto note = [&report](const Node& node, const Reason& reason) {
                  if (reason.code != Inference::false_type)
                    report.notes.push_back("'" + display_name(node) + "': " + to_string(reason));
                };
                infer_shapes(graph, context.infer_options({.problem = note}, &report));
                for (Graph* const scope : with_bodies(graph)) {
                  const auto told = detail::told_types(*scope);
                  for (Value* const input : scope->inputs())
                    report.changes += detail::declare_known(*input, told) ? 1 : 0;
                  for (Node& node : scope->nodes())
                    for (Value& output : node.outputs()) report.changes += detail::declare_known(output, told) ? 1 : 0;
                }
                transaction.keep();
                return report;
              })
      .preserves_all();
}

GRAFT_INLINE Pass fix_dim(std::string symbol, std::int64_t value) {
  return pass("fix_dim",
              [symbol = std::move(symbol), value](Graph& graph, Context&) {
                Report report;
                if (value < 0) throw Error("the extent is negative").field(symbol);
                const auto fix = [&](detail::DimProto& dim) {
                  if (!dim.has_dim_param() || !detail::with_symbol(dim.dim_param(), symbol, symbol)) return false;
                  const bool is_it = dim.dim_param() == symbol;
                  dim.clear_dim_param();  // inference may find the value of an expression
                  if (is_it) dim.set_dim_value(value);
                  return true;
                };
                detail::Retyping types(graph);
                Transaction transaction(graph);
                report.changes = symbol.empty() ? 0 : detail::change_dims(graph, fix);
                if (report.changes == 0) throw Error("no dim of the model has this name").field(symbol);
                const std::string problem =
                    types.run([&](const Value&, onnx::TypeProto& type) { detail::for_each_dim(type, fix); });
                if (!problem.empty()) throw Error("cannot be " + std::to_string(value) + ": " + problem).field(symbol);
                transaction.keep();
                return report;
              })
      .preserves_all();
}

GRAFT_INLINE Pass remove_shapes() {
  return pass("remove_shapes",
              [](Graph& graph, Context&) {
                Report report;
                for (Graph* const scope : with_bodies(graph)) {
                  for (Value* const value : detail::inner_values(*scope)) {
                    if (value->type() == nullptr) continue;
                    scope->declare_type(*value, onnx::TypeProto());
                    ++report.changes;
                  }
                }
                return report;
              })
      .preserves_all();
}

GRAFT_INLINE Pass remove_all_tensor_value_shapes() {
  return pass("remove_all_tensor_value_shapes",
              [](Graph& graph, Context&) {
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
              })
      .preserves_all();
}

}  // namespace graft::inline v1
