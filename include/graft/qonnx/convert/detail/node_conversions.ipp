#pragma once
#include <graft/qonnx/convert/detail/node_conversions.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/on_typed_graph.hpp>
#include <graft/rewrite/payload.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::qonnx::detail {

inline void drop_unused_imports(Model& model) {
  for (const std::string_view name : {domain, std::string_view("onnx.brevitas"),
                                      std::string_view("finn.custom_op.general")})
    model.drop_unused_opset(name);
}

inline void convert_nodes_of(Graph& scope, Context& context, const NodeConversion& convert, std::string_view values,
                             Report& report) {
  std::vector<Node*> nodes;
  for (Node& node : scope.nodes()) nodes.push_back(&node);
  Rewriter rewriter(scope, context, {.values = values});
  for (Node* const node : nodes) {
    if (node->erased()) continue;
    rewriter.at(*node);
    std::optional<Verdict> done = convert(*node, rewriter);
    if (!done) continue;
    if (*done) done = rewriter.commit();
    if (*done) {
      ++report.changes;
      continue;
    }
    rewriter.rollback();
    if (context.refusals) report.refusals.push_back({report.pass, display_name(*node), to_string(done->reason())});
  }
}

GRAFT_INLINE Pass convert_nodes(std::string name, NodeConversion convert, std::string_view values) {
  Pass inner = pass(name, [name, values, convert = std::move(convert)](Graph& graph, Context& context) {
    Report report;
    report.pass = name;
    for (Graph* const scope : scopes_of(graph)) convert_nodes_of(*scope, context, convert, values, report);
    if (report.changes != 0) drop_unused_imports(graph.model());
    return report;
  });
  return on_typed_graph(std::move(name), values.empty() ? inner.preserves_all() : inner);
}

GRAFT_INLINE Value& operator_like(Rewriter& rewriter, const Node& node, std::string_view op,
                                  std::span<Value* const> inputs, std::initializer_list<std::string_view> without) {
  onnx::NodeProto payload = graft::detail::payload_of(node);
  const OpName name = OpName::parse(op);
  payload.set_op_type(std::string(name.op_type));
  payload.set_domain(std::string(name.domain));
  for (int i = payload.attribute_size(); i-- > 0;)
    if (std::ranges::find(without, payload.attribute(i).name()) != without.end())
      payload.mutable_attribute()->DeleteSubrange(i, 1);
  return *rewriter.node_from(std::move(payload), inputs, 1, &node).output(0);
}

}  // namespace graft::inline v1::qonnx::detail
