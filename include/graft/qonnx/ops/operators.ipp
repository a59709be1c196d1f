#pragma once
#include <graft/qonnx/ops/operators.hpp>

#include <algorithm>
#include <string_view>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/newer_field.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/op_id.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE bool is_qonnx_domain(std::string_view name) {
  return std::find(domains.begin(), domains.end(), name) != domains.end();
}

GRAFT_INLINE bool calls_function(const Node& node) {
  const Model& model = node.graph().model();
  return !model.functions().empty() &&
         model.find_function(to_string(OpName{node.domain(), node.op_type()}), overload_of(node.proto())) != nullptr;
}

GRAFT_INLINE bool is_op(const Node& node, std::string_view op_type) {
  if (!is_qonnx_domain(node.domain())) return false;
  return (node.op_type() == op_type || (op_type == "Quant" && node.op_type() == "IntQuant")) && !calls_function(node);
}

GRAFT_INLINE bool is_quant(const Node& node) { return is_op(node, "Quant"); }

GRAFT_INLINE bool is_bipolar_quant(const Node& node) { return is_op(node, "BipolarQuant"); }

GRAFT_INLINE bool is_quantizer(const Node& node) {
  return is_quant(node) || is_bipolar_quant(node) || is_op(node, "FloatQuant") || is_op(node, "Trunc");
}

}  // namespace graft::inline v1::qonnx
