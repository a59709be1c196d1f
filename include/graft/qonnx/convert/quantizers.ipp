#pragma once
#include <graft/qonnx/convert/quantizers.hpp>

#include <algorithm>
#include <string>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qonnx/convert/detail/check_quantizer.hpp>
#include <graft/qonnx/detail/node_sweep.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/qonnx/ops/quantizer.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::qonnx {
namespace detail {

inline bool computes(const Node& node, std::string& why) {
  if (node.op_type() == "DebugMarker" || node.op_type() == "GenericPartition") return true;  // used by the package only
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

namespace detail {

/// A Verdict of no has a text if the node cannot be converted, and none if there is nothing to do.
inline Verdict extract_scale_zero_point(const Node& quant, Rewriter& rewriter) {
  if (quant.input_count() != 4 || std::ranges::count(quant.inputs(), nullptr) != 0)
    return Verdict::no("an input is absent");
  Value &scale = *quant.input(1), &zero_point = *quant.input(2);
  const bool has_scale = !is_constantly(scale, 1), has_zero_point = !is_constantly(zero_point, 0);
  if (!has_scale && !has_zero_point) return not_concerned();
  if (quant.graph().opset() < 7) return Verdict::no("opset 7 is the first in which Div and Add broadcast");
  Value* x = quant.input(0);
  if (has_scale) x = &rewriter.op("Div", {x, &scale});
  if (has_zero_point) x = &rewriter.op("Add", {x, &zero_point});
  Value& one = has_scale ? rewriter.constant(Tensor::scalar(1.0F), "scale") : scale;
  Value& zero = has_zero_point ? rewriter.constant(Tensor::scalar(0.0F), "zero_point") : zero_point;
  Value* y = rewriter.clone(quant, {x, &one, &zero, quant.input(3)}).output(0);
  if (has_zero_point) y = &rewriter.op("Sub", {y, &zero_point});
  if (has_scale) y = &rewriter.op("Mul", {y, &scale});
  return rewriter.replace(*quant.output(0), *y);
}

}  // namespace detail

GRAFT_INLINE Pass extract_quant_scale_zero_point() {
  return detail::node_sweep("extract_quant_scale_zero_point", [](Node& node, Rewriter& rewriter) {
    return is_quant(node) ? detail::extract_scale_zero_point(node, rewriter) : detail::not_concerned();
  });
}

}  // namespace graft::inline v1::qonnx
