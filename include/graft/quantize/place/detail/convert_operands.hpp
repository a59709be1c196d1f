#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/qdq/qparams.hpp>
#include <graft/quantize/detail/output_chain.hpp>
#include <graft/quantize/detail/quantized_operand.hpp>
#include <graft/quantize/kernel/integer_kernel.hpp>
#include <graft/quantize/kernel/target.hpp>

// Where kernels take other dtypes of operands than those that their producers give.
namespace graft::inline v1::detail {

/// Puts a second pair behind an operand, in the dtype that the kernel needs: that of the result, or int16 of a second
/// factor beside uint16, if the kernel would compute that with 8 bits. Readers that need the same share it.
class OperandConverter {
 public:
  explicit OperandConverter(const Target& target) : target_(target) {}

  void run(Graph& graph) {
    std::vector<Node*> nodes;
    for (Node& node : graph.nodes()) nodes.push_back(&node);
    for (Node* const node : nodes) convert(*node);
  }

 private:
  void convert(Node& node) {
    const IntegerKernel* const kernel = integer_kernel(node, target_);
    if (kernel == nullptr || kernel->form == KernelForm::passthrough || kernel->has(KernelQuirk::mixes_dtypes)) return;
    const bool is_weighted = kernel->form == KernelForm::weighted;
    const std::optional<DType> result = result_dtype(node, *kernel);
    if (!result || !kernel->output_dtypes.empty()) return;
    const std::size_t end = is_weighted ? 2 : operand_end(node, *kernel);
    for (std::size_t i = is_weighted ? 0 : kernel->first_operand; i < end; ++i) {
      const Node* const dequantize = node.input(i) != nullptr ? dequantize_of(node.input(i), target_) : nullptr;
      if (dequantize == nullptr || dequantize->input(0)->is_constant()) continue;
      const bool narrows = is_weighted && i == 1 && kernel->has(KernelQuirk::narrows_factors) && *result == DType::u16;
      const DType wanted = narrows ? DType::i16 : *result;
      const std::optional<QParams> given = qparams_of(*dequantize);
      if (given && given->dtype != wanted) convert(node, i, *given, wanted);
    }
  }

  std::optional<DType> result_dtype(const Node& node, const IntegerKernel& kernel) const {
    OutputChains chains(target_);
    const OutputChain chain = chains.behind(*node.output(0), kernel);
    if (chain.end != OutputChain::End::quantize) return std::nullopt;
    return quantized_dtype(*chain.user);
  }

  void convert(Node& node, std::size_t input, const QParams& given, DType wanted) {
    Value& operand = *node.input(input);
    Value*& converted = converted_[{&operand, wanted}];
    if (converted == nullptr) {
      const auto none = [](const Use&) { return false; };
      const bool is_moved = !is_dequantized(operand);
      Value& paired = is_moved ? insert_pair(operand, given, none) : operand;
      const ZeroPoint zero_point = is_unsigned_integer(wanted) ? ZeroPoint::free : ZeroPoint::middle;
      converted = &insert_pair(paired, choose_qparams(given.range(), wanted, zero_point), none);
    }
    rewire(node, input, *converted);
  }

  const Target& target_;
  std::map<std::pair<const Value*, DType>, Value*> converted_;
};

}  // namespace graft::inline v1::detail
