#pragma once
#include <graft/surgery/infer_shapes.hpp>

#include <string>
#include <unordered_map>

#include <graft/config.hpp>
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
#include <graft/surgery/detail/names.hpp>

namespace graft::inline v1 {

namespace detail {

/// What a scope declares of its values, as text, as of the last commit.
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

/// Declares what is known of a value. Whether that is news.
inline bool declare_known(Value& value, const std::unordered_map<const Value*, std::string>& told) {
  if (value.type() == nullptr || value.name().empty()) return false;
  const onnx::TypeProto type = *value.type();
  value.graph().declare_type(value, type);  // one without contents is taken away
  const auto before = told.find(&value);
  return before == told.end() || before->second != to_string(type);
}

}  // namespace detail

GRAFT_INLINE Pass infer_shapes() {
  return pass("infer_shapes", [](Graph& graph, Context& context) {
    Report report;
    Transaction transaction(graph);
    const auto note = [&report](const Node& node, const Reason& reason) {
      if (reason.code != Inference::false_type)
        report.notes.push_back("'" + display_name(node) + "': " + to_string(reason));
    };
    infer_shapes(graph, context.infer_options({.problem = note}, &report));
    for (Graph* const scope : with_bodies(graph)) {
      const auto told = detail::told_types(*scope);
      for (Value* const input : scope->inputs()) report.changes += detail::declare_known(*input, told) ? 1 : 0;
      for (Node& node : scope->nodes())
        for (Value& output : node.outputs()) report.changes += detail::declare_known(output, told) ? 1 : 0;
    }
    transaction.keep();
    return report;
  }).preserves_all();
}

}  // namespace graft::inline v1
