#pragma once
#include <graft/quantize/kernel/integer_kernel.hpp>

#include <algorithm>

#include <graft/config.hpp>
#include <graft/qdq/has_result.hpp>
#include <graft/qdq/qdq.hpp>

namespace graft::inline v1 {

GRAFT_INLINE const IntegerKernel* integer_kernel(const Node& node, const Target& target) {
  const IntegerKernel* const kernel = kernel_of_any_opset(node, target);
  return kernel != nullptr && kernel->serves(node.opset()) ? kernel : nullptr;
}

GRAFT_INLINE const IntegerKernel* kernel_of_any_opset(const Node& node, const Target& target) {
  if (!detail::has_result(node)) return nullptr;
  const IntegerKernel* first = nullptr;
  for (const IntegerKernel& kernel : target.kernels) {
    if (!node.is(kernel.op)) continue;
    if (kernel.serves(node.opset())) return &kernel;
    if (first == nullptr) first = &kernel;
  }
  return first;
}

namespace detail {

GRAFT_INLINE bool is_dequantized(const Value& value) {
  return value.producer() != nullptr && is_dequantize(*value.producer());
}

GRAFT_INLINE std::size_t operand_end(const Node& node, const IntegerKernel& kernel) {
  const std::size_t count = node.input_count() - std::min(node.input_count(), kernel.first_operand);
  return kernel.first_operand + std::min(count, kernel.operands);
}

}  // namespace detail

GRAFT_INLINE bool is_quantized_product(const Node& node, const Target& target) {
  const IntegerKernel* const kernel = integer_kernel(node, target);
  if (kernel == nullptr || kernel->form != KernelForm::weighted) return false;
  return node.op_type() == "Conv" || (node.input(0) != nullptr && detail::is_dequantized(*node.input(0)));
}

}  // namespace graft::inline v1
