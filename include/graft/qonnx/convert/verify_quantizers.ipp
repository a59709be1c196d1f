#pragma once
#include <graft/qonnx/convert/verify_quantizers.hpp>

#include <string>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/schema.hpp>
#include <graft/qonnx/convert/detail/check_quantizer.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/qonnx/ops/quantizer.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

inline bool computes(const Node& node, std::string& why) {
  if (node.op_type() == "DebugMarker" || node.op_type() == "GenericPartition") return true;  // of the package alone
  if (schema::find(node.domain(), node.op_type(), schema::newest_opset) == nullptr) {
    why = "there is no operator " + std::string(node.op_type()) + " in " + std::string(node.domain());
    return false;
  }
  if (!is_quantizer(node)) return true;
  try {
    if (!is_bipolar_quant(node)) rounding_mode(node);
  } catch (const Error& error) {
    why = error.message();
    return false;
  }
  return check_quantizer(node, why);
}

}  // namespace detail

GRAFT_INLINE std::vector<Problem> verify_quantizers(Graph& graph) {
  std::vector<Problem> problems;
  for (const Graph* const scope : scopes_of(graph))
    for (const Node& node : scope->nodes()) {
      const bool is_own = is_qonnx_domain(node.domain()) && !calls_function(node);
      if (std::string why; is_own && !detail::computes(node, why)) problems.push_back({scope, &node, why});
    }
  return problems;
}

}  // namespace graft::inline v1::qonnx
