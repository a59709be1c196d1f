#pragma once
#include <algorithm>
#include <optional>
#include <string>

#include <graft/quantize/detail/kernel_audit.hpp>

namespace graft::inline v1::detail {

/// The audit of an operator that moves or chooses values: it runs in integers between quantizers of the same q-params,
/// or where the runtime takes the DequantizeLinear in front of it behind it.
class SameQParamsAudit : public KernelAudit {
 public:
  SameQParamsAudit(const Node& node, const IntegerKernel& kernel, const Target& target)
      : KernelAudit(node, kernel, target), x_(dequantize_of(node.input(kernel.first_operand), target)) {
    if (!check_version() || !check_varies()) return;
    if (is_quantized_early()) {
      check_dtype(dtype_before(*chain_.user, target_));
    } else {
      if (check_operand() && check_outputs()) check_attributes();
    }
  }

  /// Whether quantizers have to do with it at all.
  bool concerns() const { return x_ != nullptr || is_quantized_; }

 private:
  bool check_varies() {
    const Value* const x = x_ != nullptr ? x_->input(0) : node_.input(kernel_.first_operand);
    return x == nullptr || !x->is_constant() || fail_as_constant();
  }

  bool check_operand() {
    if (x_ == nullptr)
      return fail("no_dq_input", "its input is not dequantized", "put a pair of quantizers behind the input");
    q_ = qparams_seen(*x_, dtype_behind(*x_, target_));
    if (!q_) return fail("qparams", "its input has no constant q-params of a whole tensor", "quantize it per tensor");
    return check_dtype(q_->dtype);
  }

  /// Whether the runtime takes the quantizer behind the operator to its front.
  bool is_quantized_early() const {
    return x_ == nullptr && is_quantized_ && chain_.activations.empty() && lets_quantizers_pass(node_, target_);
  }

  /// Whether the runtime takes the DequantizeLinear in front of the operator behind it, whatever else is there.
  bool is_dequantized_late() const {
    const bool turns_unsigned = q_->dtype != quantized_dtype(*x_);
    if (turns_unsigned && node_.output(0)->use_count() > 1) return false;
    return lets_quantizers_pass(node_, target_) && !reaches_quantizer();
  }

  bool check_outputs() {
    if (is_dequantized_late()) return true;
    for (const Value& output : node_.outputs()) {
      if (output.name().empty()) continue;
      set_result(output);
      if (!check_output() || !check_qparams(*chain_.user) || !check_activations()) return false;
    }
    return true;
  }

  bool check_qparams(const Node& quantize) {
    if (qparams_seen(quantize, dtype_before(quantize, target_)) == q_) return true;
    return fail("qparams_differ", "its input and its output have different q-params",
                "quantize both with the same scale and zero point");
  }

  /// Those with which the runtime chooses: what becomes uint8 has its zero point moved along. Both must be given.
  static std::optional<QParams> qparams_seen(const Node& quantizer, DType dtype) {
    std::optional<QParams> q = qparams_of(quantizer);
    if (!q || quantizer.input(2) == nullptr) return std::nullopt;
    if (q->dtype == DType::i8 && dtype == DType::u8) q = QParams{q->scale, q->zero_point + 128, DType::u8};
    return q;
  }

  const Node* x_;
  std::optional<QParams> q_;
};

}  // namespace graft::inline v1::detail
