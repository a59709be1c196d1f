#pragma once
#include <graft/testing/lint_target.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/graph/operator_facts.hpp>
#include <graft/graph/schema_types.hpp>
#include <graft/quantize/kernel/deferral.hpp>
#include <graft/testing/detail/unknown_words.hpp>

namespace graft::inline v1 {

namespace detail {

/// The last quantized input of a kernel without a weight; the first, if the kernel quantizes all inputs from there.
inline std::size_t last_operand(const IntegerKernel& kernel) {
  return kernel.first_operand + (kernel.operands == all_operands || kernel.operands == 0 ? 0 : kernel.operands - 1);
}

inline bool has_operands(const IntegerKernel& kernel) {
  return some_version(kernel.op, [&](const schema::Operator& facts) {
    return facts.input(last_operand(kernel)) != nullptr;
  });
}

/// Whether its second input scales the result: a weight along the axis that it normalizes.
inline bool is_normalization(std::string_view op) {
  return op == "BatchNormalization" || op == "InstanceNormalization" || op == "LayerNormalization" ||
         op == "RMSNormalization";
}

/// How a kernel contradicts the zero points of the target; empty if it does not. With either sign, tensors of both
/// signs meet in it.
inline std::string_view sign_problem(const IntegerKernel& kernel, const Target& target) {
  if (target.zero_points != ZeroPoints::zero_either_sign) return {};
  const auto has = [](const auto& entries, const auto& is_one) {
    return std::any_of(entries.begin(), entries.end(), is_one);
  };
  for (const bool is_signed : {false, true}) {
    const DType dtype = with_sign(target.activation, is_signed);
    const bool has_weight = kernel.form == KernelForm::weighted;
    if (!(has_weight ? kernel.takes(dtype, target.weight) : kernel.takes(dtype))) return "does not take both";
    const auto is_it = [&](DType given) { return given == dtype; };
    if (kernel.form != KernelForm::passthrough && !has(kernel.output_dtypes, is_it)) return "does not give both";
  }
  const bool has_several = kernel.form == KernelForm::elementwise && kernel.operands > 1;
  return has_several && !kernel.has(KernelQuirk::mixes_dtypes) ? "does not mix both" : std::string_view();
}

}  // namespace detail

GRAFT_INLINE TestResult lint(const Target& target) {
  std::string found;
  const auto tell = [&](const std::string& what) { found += "'" + std::string(target.name) + "': " + what + "\n"; };
  const auto check_operator = [&](std::string_view op) {
    if (OpName::parse(op).domain.empty() && !detail::some_version(op, [](const auto&) { return true; }))
      tell("ONNX has no operator " + std::string(op));
  };
  const auto check_cost = [&](const std::string& of, const KernelCost& cost) {
    if (!(cost.call >= 0 && cost.element >= 0 && cost.product >= 0)) tell("the cost of " + of + " is negative");
  };
  check_cost("a QuantizeLinear", target.quantize);
  check_cost("a DequantizeLinear", target.dequantize);
  check_cost("a DynamicQuantizeLinear", target.dynamic_quantize);
  if (target.kernels.empty()) tell("there are no kernels, so that nothing will be quantized");
  if (target.weight_bits < 2 || target.weight_bits > 8) tell("weight_bits is not from 2 to 8");
  if (target.zero_points == ZeroPoints::zero && is_unsigned_integer(target.activation))
    tell("zero points are 0, but activations are " + std::string(to_string(target.activation)) +
         ", which has no negative values");
  for (const IntegerKernel& kernel : target.kernels) {
    const std::string op(kernel.op);
    if (const std::string_view problem = detail::sign_problem(kernel, target); !problem.empty())
      tell("activations have either sign, but " + op + " " + std::string(problem));
    check_operator(op);
    check_cost(op + " in float", kernel.in_float);
    check_cost(op + " in integers", kernel.in_integers);
    check_cost(op + " beside quantizers", kernel.guard_cost);
    check_cost(op + " behind floats", kernel.float_input_cost);
    for (const auto& costs : {kernel.few_channels, kernel.first_layer}) {
      check_cost(op + " of few channels", costs.value_or(KernelCosts()).in_float);
      check_cost(op + " of few channels", costs.value_or(KernelCosts()).in_integers);
    }
    const bool has_weight = kernel.form == KernelForm::weighted;
    const bool is_standard = OpName::parse(op).domain.empty();
    const bool is_known = is_standard && detail::some_version(op, [](const auto&) { return true; });
    if (is_known && has_weight && facts_of(op).weight_axis < 0 && !detail::is_normalization(op))
      tell(op + " is not an operator with a weight: these are Conv, ConvTranspose, Gemm, MatMul and normalizations");
    if (is_known && !has_weight && !detail::has_operands(kernel))
      tell(op + " has no input " + std::to_string(detail::last_operand(kernel)));
    if (kernel.since > kernel.until) tell(op + " is served in no version of the opset");
    if (kernel.has(KernelQuirk::float_beside_quantizers) && !kernel.has(KernelQuirk::float_output))
      tell(op + " has float_beside_quantizers without float_output");
    if (!has_weight && kernel.quirks.without(quirks_of_weights) != kernel.quirks)
      tell(op + " has one of quirks_of_weights, but no weight");
    if (!has_weight && kernel.form != KernelForm::elementwise) continue;
    const DType weight = kernel.weight_beside(target.activation, target.weight);
    if (has_weight ? kernel.takes(target.activation, weight) : kernel.takes(target.activation)) continue;
    tell("its dtypes of " + op + " are not those that it quantizes to, " + std::string(to_string(target.activation)) +
         (has_weight ? " with weights of " + std::string(to_string(target.weight)) : ""));
  }
  for (const FusedActivation& fused : target.activations) {
    check_operator(fused.op);
    if (target.zero_points == ZeroPoints::zero && fused.op == "Relu" && fused.when == Fuses::when_redundant)
      tell("Relu vanishes if the zero point is the lowest value, but zero points are 0");
  }
  return found.empty() ? TestResult::pass() : TestResult::fail(found);
}

}  // namespace graft::inline v1
