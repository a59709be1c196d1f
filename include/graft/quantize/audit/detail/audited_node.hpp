#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/quantize/detail/merged_sum.hpp>
#include <graft/quantize/detail/output_chain.hpp>
#include <graft/quantize/detail/quantized_operand.hpp>
#include <graft/quantize/target/target.hpp>

namespace graft::inline v1::detail {

/// Behind the result of a kernel, past one operator that may move it.
inline OutputChain chain_behind(const Value& result, const IntegerKernel& kernel, const Target& target) {
  OutputChain chain = output_chain(result, target, kernel.fuses_activations());
  const auto& movements = kernel.moved_by;
  if (chain.end == OutputChain::End::other_operator && chain.user != nullptr && chain.last == &result &&
      chain.user->domain().empty() && &chain.user->graph() == &result.graph() && chain.user->output_count() == 1 &&
      std::find(movements.begin(), movements.end(), chain.user->op_type()) != movements.end())
    return output_chain(*chain.user->output(0), target, false);
  return chain;
}

inline bool takes_qparams(const Node& quantizer, const Target& target) {
  return !target.has(Quirk::constant_qparams_only) ||
         (constant_input(quantizer, 1) && (quantizer.input(2) == nullptr || constant_input(quantizer, 2)));
}

/// What the checks read of an operator: where its operands come from, and the chain after its results.
struct AuditedNode {
  const Node& node;
  const IntegerKernel& kernel;
  const Target& target;
  /// The dequantizer of each operand except weight and bias; nullptr where there is none. Not those that are quantized
  /// by the chain after it.
  std::vector<const Node*> operands{};
  const Node *weight = nullptr, *bias = nullptr;  ///< what dequantizes these
  std::vector<OutputChain> results{};             ///< where it moves values, all that are named; else the first
  const Node* merged_with = nullptr;              ///< the Add with which the runtime makes a Gemm of it
  bool has_joined_qparams = false;                ///< weighted: the parts of its input have several
  bool quantizes_own_result = false;              ///< a quantizer stands behind it, the Add aside

  AuditedNode(const Node& audited, const IntegerKernel& its_kernel, const Target& its_target, OperandSources& sources)
      : node(audited), kernel(its_kernel), target(its_target) {
    const bool is_weighted = kernel.form == KernelForm::weighted, moves = kernel.form == KernelForm::same_qparams;
    const std::size_t begin = is_weighted ? 0 : kernel.first_operand;
    const std::size_t end = is_weighted || moves ? begin + 1 : operand_end(node, kernel);
    for (std::size_t i = begin; i < end; ++i) operands.push_back(sources.of(node.input(i)).dequantize);
    if (is_weighted) {
      weight = sources.of(node.input(1)).dequantize;
      bias = sources.of(node.input(2)).dequantize;
      has_joined_qparams = sources.of(node.input(0)).has_joined_qparams;
    }
    for (const Value& output : node.outputs())
      if (moves && !output.name().empty()) results.push_back(chain_behind(output, kernel, target));
    if (results.empty()) results.push_back(chain_behind(*node.output(0), kernel, target));
    quantizes_own_result = is_quantized(results.front());
    if (takes_quantizer_behind())
      std::erase_if(operands, [&](const Node* operand) {
        return operand == nullptr || !kernel.takes(dtype_behind(*operand, target));
      });
    const Node* const sum = kernel.has(KernelQuirk::merges_with_add) ? sum_behind(*node.output(0)) : nullptr;
    if (sum == nullptr || !merges_into_gemm(node, *sum)) return;
    merged_with = sum;
    results.front() = chain_behind(*sum->output(0), kernel, target);
  }

  bool is_quantized(const OutputChain& chain) const {
    return chain.end == OutputChain::End::quantize && takes_qparams(*chain.user, target);
  }
  /// Whether its operands become those of the quantizer behind it, which the runtime takes to them.
  bool takes_quantizer_behind() const {
    return kernel.has(KernelQuirk::passes_quantizers) && quantizes_own_result &&
           kernel.takes(dtype_before(*results.front().user, target));
  }
  /// What dequantizes an operand or the weight.
  std::vector<const Node*> dequantizers() const {
    std::vector<const Node*> found = operands;
    found.push_back(weight);
    std::erase(found, nullptr);
    return found;
  }
  /// The dtype of its operands.
  DType dtype() const {
    return operands.empty() ? dtype_before(*results.front().user, target) : dtype_behind(*operands.front(), target);
  }
};

}  // namespace graft::inline v1::detail
