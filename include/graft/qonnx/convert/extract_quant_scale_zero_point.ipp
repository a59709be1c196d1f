#pragma once
#include <graft/qonnx/convert/extract_quant_scale_zero_point.hpp>

#include <algorithm>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/qonnx/convert/detail/is_constantly.hpp>
#include <graft/qonnx/detail/node_sweep.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/rewrite/rewriter.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

/// No, with a text, where it cannot be done; without one where there is nothing to do.
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
