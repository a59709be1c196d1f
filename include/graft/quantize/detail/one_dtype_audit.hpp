#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include <graft/quantize/detail/kernel_audit.hpp>
#include <graft/quantize/detail/scale_ratio.hpp>
#include <graft/quantize/detail/softmax_extent.hpp>
#include <graft/quantize/quantizable.hpp>

namespace graft::inline v1::detail {

/// The audit of an operator whose operands and result are of one dtype, each with q-params of its own or all with the
/// same.
class OneDTypeAudit : public KernelAudit {
 public:
  OneDTypeAudit(const Node& node, const IntegerKernel& kernel, const Target& target)
      : KernelAudit(node, kernel, target) {
    if (check_outputs() && check_operands_vary() && check_version() && check_operands() && check_output() &&
        check_dtype(*x_) && check_output_dtype(*x_) && check_qparams() && check_activations()) {
      check_reach();
      check_ratios();
      check_attributes();
    }
  }

 private:
  bool check_outputs() {
    return node_.output_count() == 1 ||
           fail("outputs", "it has several results", "take the others from an operator of its own");
  }

  bool check_operands_vary() {
    if (target_.has(Quirk::does_not_simplify)) return true;
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
      if (!check_dequantizer(*dequantize)) return false;
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
    if (kernel_.unsaturated_up_to != 0 && is_softmax_of_one(node_))
      return note(Severity::error, "does_not_saturate", "a result of 1 is lost: its kernel does not saturate",
                  "leave it in float: it is over one element");
    if (!q || q->range().max + q->scale / 2 >= kernel_.unsaturated_up_to) return;
    note(Severity::error, "does_not_saturate",
         "results above " + shortest_decimal(q->range().max) + " are lost: its kernel does not saturate",
         "quantize its output up to the greatest of its results");
  }

  void check_ratios() {
    const std::optional<QParams> y = is_quantized_ ? qparams_of(*chain_.user) : std::nullopt;
    for (std::size_t i = kernel_.first_operand; y && i < operand_end(node_, kernel_); ++i) {
      const std::optional<QParams> x = qparams_of(*dequantize_of(node_.input(i), target_));
      if (!x || is_scale_ratio_in_reach(node_, kernel_, double{x->scale}, double{y->scale})) continue;
      return note(Severity::error, "scale_ratio",
                  "the scales of its input and its output, " + shortest_decimal(x->scale) + " and " +
                      shortest_decimal(y->scale) + ", are too far apart: its kernel fails, or computes something else",
                  "leave it in float");
    }
  }

  bool check_qparams() {
    if (kernel_.form != KernelForm::one_qparams || !is_quantized_) return true;
    const std::optional<QParams> y = qparams_of(*chain_.user);
    bool same = y.has_value();
    for (std::size_t i = kernel_.first_operand; i < operand_end(node_, kernel_); ++i)
      same = same && qparams_of(*dequantize_of(node_.input(i), target_)) == y;
    return same || fail("qparams_differ", "its inputs and its output have different q-params",
                        "quantize all of them with the same scale and zero point");
  }

  std::optional<DType> x_;
};

}  // namespace graft::inline v1::detail
