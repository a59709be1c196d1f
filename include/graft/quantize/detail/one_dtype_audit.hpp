#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include <graft/quantize/detail/kernel_audit.hpp>
#include <graft/quantize/quantizable.hpp>

namespace graft::inline v1::detail {

/// The audit of an operator whose operands and result are of one dtype, each with q-params of its own.
class OneDTypeAudit : public KernelAudit {
 public:
  OneDTypeAudit(const Node& node, const IntegerKernel& kernel, const Target& target)
      : KernelAudit(node, kernel, target) {
    if (check_operands_vary() && check_version() && check_operands() && check_output() && check_dtype(*x_) &&
        check_output_dtype(*x_) && check_activations()) {
      check_reach();
      check_attribute();
    }
  }

 private:
  bool check_operands_vary() {
    for (std::size_t i = kernel_.first_operand; i < operand_end(node_, kernel_); ++i) {
      const Node* const dequantize = dequantize_of(node_.input(i), target_);
      const Value* const source = dequantize != nullptr ? dequantize->input(0) : node_.input(i);
      if (source == nullptr || !source->is_constant()) return true;
    }
    return fail_as_constant();
  }

  bool check_operands() {
    for (std::size_t i = kernel_.first_operand; i < operand_end(node_, kernel_); ++i) {
      const Value* const operand = node_.input(i);
      const Node* const dequantize = dequantize_of(operand, target_);
      if (dequantize == nullptr)
        return fail("no_dq_input", (operand != nullptr ? "'" + std::string(operand->name()) + "'" : "an input") +
                                       std::string(" is not dequantized"),
                    "put a pair of quantizers behind it");
      check_scale(*dequantize, "input");
      const DType dtype = dtype_behind(*dequantize, target_);
      if (x_ && *x_ != dtype)
        return fail("dtypes", "its inputs are " + std::string(to_string(*x_)) + " and " + std::string(to_string(dtype)),
                    "quantize them to one dtype");
      x_ = dtype;
    }
    return x_.has_value();
  }

  void check_reach() {
    const std::optional<QParams> q = is_quantized_ ? qparams_of(*chain_.user) : std::nullopt;
    if (!q || q->range().max + q->scale / 2 >= kernel_.unsaturated_up_to) return;
    note(Severity::error, "does_not_saturate",
         "results above " + shortest_decimal(q->range().max) + " are lost: its kernel does not saturate",
         "quantize its output up to " + shortest_decimal(kernel_.unsaturated_up_to));
  }

  std::optional<DType> x_;
};

}  // namespace graft::inline v1::detail
