#pragma once
#include <graft/testing/lint_target.hpp>

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/op_id.hpp>
#include <graft/testing/detail/unknown_words.hpp>

namespace graft::inline v1 {

namespace detail {

inline constexpr std::array quirks_of_weights{
    std::pair<KernelQuirk, std::string_view>{KernelQuirk::merges_with_add, "merges_with_add"},
    std::pair<KernelQuirk, std::string_view>{KernelQuirk::symmetric_weight, "symmetric_weight"},
    std::pair<KernelQuirk, std::string_view>{KernelQuirk::takes_no_factor, "takes_no_factor"},
    std::pair<KernelQuirk, std::string_view>{KernelQuirk::quantizes_constants, "quantizes_constants"}};

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
  if (target.weight_bits < 2 || target.weight_bits > 8) tell("weight_bits is not from 2 to 8");
  for (const IntegerKernel& kernel : target.kernels) {
    const std::string op(kernel.op);
    check_operator(op);
    check_cost(op + " in float", kernel.in_float);
    check_cost(op + " in integers", kernel.in_integers);
    check_cost(op + " beside quantizers", kernel.guarded);
    for (const auto& costs : {kernel.narrow, kernel.image}) {
      check_cost(op + " of few channels", costs.value_or(KernelCosts()).in_float);
      check_cost(op + " of few channels", costs.value_or(KernelCosts()).in_integers);
    }
    const bool has_weight = kernel.form == KernelForm::weighted;
    if (kernel.since > kernel.until) tell(op + " is served in no version of the opset");
    if (kernel.has(KernelQuirk::float_beside_quantizers) && !kernel.has(KernelQuirk::float_output))
      tell(op + " has float_beside_quantizers without float_output");
    for (const auto& [quirk, name] : detail::quirks_of_weights)
      if (!has_weight && kernel.has(quirk)) tell(op + " has " + std::string(name) + ", but no weight");
    if (!has_weight && kernel.form != KernelForm::one_dtype) continue;
    if (has_weight ? kernel.takes(target.activation, target.weight) : kernel.takes(target.activation)) continue;
    tell("its dtypes of " + op + " are not those that it quantizes to, " + std::string(to_string(target.activation)) +
         (has_weight ? " with weights of " + std::string(to_string(target.weight)) : ""));
  }
  for (const FusedActivation& fused : target.activations) check_operator(fused.op);
  return found.empty() ? TestResult::pass() : TestResult::fail(found);
}

}  // namespace graft::inline v1
