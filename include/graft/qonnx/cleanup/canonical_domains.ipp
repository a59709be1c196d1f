#pragma once
#include <graft/qonnx/cleanup/canonical_domains.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE Pass canonical_domains() {
  return pass("canonical_domains", [](Graph& graph, Context&) {
    constexpr std::array<std::string_view, 12> known{
        "Quant",  "IntQuant",           "BipolarQuant", "FloatQuant",       "Trunc",      "MultiThreshold",
        "Im2Col", "XnorPopcountMatMul", "MaxPoolNHWC",  "GenericPartition", "DebugMarker", "QuantAvgPool2d"};
    Report report;
    Model& model = graph.model();
    std::set<std::string> left;
    bool is_used = false;
    for (Graph* const scope : scopes_of(graph)) {
      for (Node& node : scope->nodes()) {
        if (!is_qonnx_domain(node.domain()) || std::ranges::find(known, node.op_type()) == known.end()) continue;
        is_used = true;
        if (node.domain() == domain) continue;
        left.emplace(node.domain());
        scope->set_op(node, std::string(domain) + "::" + std::string(node.op_type()));
        ++report.changes;
      }
    }
    if (is_used && model.opset(domain) == 0) {
      int version = 1;
      for (const std::string& other : left) version = std::max(version, model.opset(other));
      model.set_opset(version, domain);
      ++report.changes;
    }
    for (const std::string& other : left) model.drop_unused_opset(other);
    return report;
  }).preserves_all();
}

}  // namespace graft::inline v1::qonnx
