#pragma once
#include <graft/qonnx/convert/detail/node_conversions.hpp>

#include <algorithm>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/payload.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1::qonnx::detail {

inline Pass dropping_imports(const Pass& sweep) {
  return around(sweep, [](const Pass& inner, Graph& graph, Context& context) {
    Report report = inner.run(graph, context);
    if (report.changes == 0) return report;
    for (const std::string_view used : domains) graph.model().drop_unused_opset(used);
    graph.model().drop_unused_opset("com.microsoft");
    return report;
  });
}

GRAFT_INLINE Pass convert_nodes(std::string name, NodeEdit convert, std::string_view values) {
  return dropping_imports(node_sweep(std::move(name), std::move(convert), values));
}

GRAFT_INLINE Pass convert_nodes(std::string name, NotedNodeEdit convert) {
  return dropping_imports(node_sweep(std::move(name), std::move(convert)));
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
