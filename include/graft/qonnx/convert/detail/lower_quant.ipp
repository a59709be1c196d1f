#pragma once
#include <graft/qonnx/convert/detail/lower_quant.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qonnx/convert/detail/float_steps.hpp>
#include <graft/qonnx/convert/detail/quantize_constant.hpp>
#include <graft/qonnx/ops/integer_range.hpp>
#include <graft/qonnx/ops/operators.hpp>
#include <graft/qonnx/ops/quantizer.hpp>
#include <graft/qonnx/ops/rounding_mode.hpp>

namespace graft::inline v1::qonnx::detail {

/// The operators of a Quant whose bit width is constant, whatever the other parameters.
inline Value& lower_quant(const Node& node, const Tensor& bits, FloatSteps& steps) {
  Value &x = *node.input(0), &scale = *node.input(1), &zero_point = *node.input(2);
  const bool is_signed = qonnx::is_signed(node), is_narrow = qonnx::is_narrow(node);
  Value& v = steps.moved("Add", steps.divided(x, scale), zero_point);
  const std::span<const float> widths = bits.data<float>();
  const auto are_signs = [&](float width) { return is_bipolar(width, is_signed); };
  Value* integers = nullptr;
  if (!std::ranges::all_of(widths, are_signs)) {
    std::vector<float> lowest, highest;
    for (const float width : widths) {
      const IntegerRange range = integer_range(width, is_signed, is_narrow);
      lowest.push_back(range.min);
      highest.push_back(range.max);
    }
    Value& kept = steps.clamped(v, Tensor::of<float>(bits.dims(), lowest), Tensor::of<float>(bits.dims(), highest));
    integers = &steps.rounded(kept, rounding_mode(node));
  }
  if (std::ranges::any_of(widths, are_signs)) {
    Value& signs = steps.sign(v);
    if (integers == nullptr) {
      integers = &signs;
    } else {
      std::vector<bool> mask;
      for (const float width : widths) mask.push_back(are_signs(width));
      integers = &steps.op("Where", {&steps.constant(Tensor::of<bool>(bits.dims(), mask)), &signs, integers});
    }
  }
  return steps.multiplied(steps.moved("Sub", *integers, zero_point), scale);
}

GRAFT_INLINE Value* lower_quant(const Node& node, Rewriter& rewriter, std::string& why) {
  Value &x = *node.input(0), &scale = *node.input(1);
  const std::string hint(x.name());
  FloatSteps steps(rewriter, hint);
  const std::optional<Tensor> constant = x.constant();
  if (is_bipolar_quant(node)) {
    Value& result = steps.multiplied(steps.sign(x), scale);
    return &result;
  }
  if (constant && constant->dtype() == DType::f32)
    if (const std::optional<Quantizer> quantizer = quantizer_of(node))
      return &rewriter.constant(quantize_constant(*constant, *quantizer).values, hint + "_quantized");
  const std::optional<Tensor> bits = node.input(3)->constant();
  if (!bits || bits->dtype() != DType::f32 || bits->size() == 0) {
    why = "its bit width is not constant";
    return nullptr;
  }
  return &lower_quant(node, *bits, steps);
}

}  // namespace graft::inline v1::qonnx::detail
