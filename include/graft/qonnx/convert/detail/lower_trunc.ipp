#pragma once
#include <graft/qonnx/convert/detail/lower_trunc.hpp>

#include <optional>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qonnx/convert/detail/constant_parameters.hpp>
#include <graft/qonnx/convert/detail/float_steps.hpp>
#include <graft/qonnx/ops/kernels/trunc.hpp>
#include <graft/qonnx/ops/quantizer.hpp>
#include <graft/qonnx/ops/rounding_mode.hpp>
#include <graft/qonnx/ops/truncation.hpp>

namespace graft::inline v1::qonnx::detail {

GRAFT_INLINE Value* lower_trunc(const Node& node, Rewriter& rewriter, std::string& why) {
  const std::optional<std::vector<Tensor>> numbers = constant_parameters(node, why);
  if (!numbers) return nullptr;
  Value &x = *node.input(0), &scale = *node.input(1), &zero_point = *node.input(2);
  const Truncation by = trunc_version(node) == 1
                            ? truncation_v1((*numbers)[0], (*numbers)[1], (*numbers)[2], (*numbers)[3])
                            : truncation_v2(node, (*numbers)[0], (*numbers)[1], (*numbers)[3], (*numbers)[4]);
  FloatSteps steps(rewriter, std::string(x.name()));
  Value& integers = steps.rounded(steps.moved("Add", steps.divided(x, scale), zero_point), RoundingMode::half_even);
  Value& divided = steps.divided(integers, steps.constant(by.divisor));
  Value& kept = steps.rounded(steps.clamped(divided, by.lowest, by.highest), rounding_mode(node));
  return &steps.multiplied(steps.moved("Sub", kept, steps.constant(by.zero_point)), steps.constant(by.scale));
}

}  // namespace graft::inline v1::qonnx::detail
