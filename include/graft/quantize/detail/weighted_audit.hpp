#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include <graft/quantize/channels.hpp>
#include <graft/quantize/detail/kernel_audit.hpp>
#include <graft/quantize/detail/merged_sum.hpp>
#include <graft/quantize/quantizable.hpp>

namespace graft::inline v1::detail {

/// The audit of an operator with an input, a weight and perhaps a bias.
class WeightedAudit : public KernelAudit {
 public:
  WeightedAudit(const Node& node, const IntegerKernel& kernel, const Target& target)
      : KernelAudit(node, kernel, target),
        x_(dequantize_of(node.input(0), target)),
        weight_(dequantize_of(node.input(1), target)),
        bias_(dequantize_of(node.input(2), target)) {
    static_cast<void>(check_factor() && check_input() && check_weight() && check_bias() && check_sum() &&
                      check_output() && check_dtypes() && check_activations() && check_saturation());
  }

 private:
  static bool is_overridable(const Value& value) { return value.initializer() != nullptr && !value.is_constant(); }

  bool check_factor() {
    return !kernel_.has(KernelQuirk::takes_no_factor) || product_factor(node_) == 1 ||
           fail("alpha", "its alpha is not 1", "multiply the weight by alpha");
  }

  bool check_input() {
    if (x_ == nullptr) {
      // Placement leaves such operators alone.
      for (const auto& [input, code, text] :
           {std::tuple(1, "overridable_weight", "its weight is an initializer that callers may override"),
            std::tuple(2, "overridable_bias", "its bias is an initializer that callers may override")}) {
        const Value* const value = node_.input(static_cast<std::size_t>(input));
        if (value != nullptr && is_overridable(*value)) return fail(code, text, "freeze such inputs, or remove them");
      }
      if (const Verdict verdict = quantizable(node_, target_); !verdict)
        return fail("not_quantizable", std::string(verdict.reason().text), "");
      return fail("no_dq_input", "its input is not dequantized", "put a pair of quantizers behind the input");
    }
    check_scale(*x_, "input");
    return check_dequantizer(*x_);
  }

  bool quantizes_constants() const {
    return kernel_.has(KernelQuirk::quantizes_constants) && (is_quantized_ || !kernel_.has(KernelQuirk::float_output));
  }

  bool check_weight() {
    const Value* const weight = node_.input(1);
    if (weight_ != nullptr) return check_dequantizer(*weight_) && check_channels();
    const bool is_float = weight != nullptr && (weight->initializer() != nullptr || weight->is_constant());
    if (!quantizes_constants() || !is_float)
      return fail("weight_not_quantized", "its weight is not dequantized", "quantize the weights");
    if (bias_ != nullptr)
      return fail("weight_not_quantized", "its weight is float and its bias is not", "quantize the weights");
    note(Severity::warning, "weight_float_runtime_quant", "its weight is float: the runtime quantizes it, per tensor",
         "quantize the weights");
    return true;
  }

  bool check_channels() {
    const std::optional<Tensor> scale = constant_input(*weight_, 1), zero_point = constant_input(*weight_, 2);
    if (kernel_.has(KernelQuirk::symmetric_weight) && zero_point && zero_point->size() != 0 &&
        zero_point->to<std::int64_t>()[0] != 0)
      note(Severity::error, "zero_point", "the zero point of its weight is not 0: the runtime refuses the kernel",
           "quantize the weights symmetrically");
    if (zero_point && zero_point->size() > 1) {
      const auto values = zero_point->to<std::int64_t>();
      if (std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) != values.end())
        note(Severity::error, "zero_points_differ",
             "the channels of its weight have different zero points: the kernel fails",
             "quantize the weights symmetrically");
    }
    const std::size_t rank = weight_->input(0) != nullptr ? weight_->input(0)->shape().rank() : 0;
    if (!scale || scale->size() == 1 || rank == 0) return true;
    if (node_.is("MatMul") && rank > 2) {
      note(Severity::error, "batched_channels", "its weight of rank " + std::to_string(rank) +
           " has several scales: the kernel takes one and fails", "quantize the weight per tensor");
      return true;
    }
    const std::int64_t axis = weight_->attr<std::int64_t>("axis").value_or(1);
    const auto given = static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
    if (channel_axis(node_, rank).value_or(given) != given) {
      note(Severity::error, "axis",
           "its weight is dequantized along axis " + std::to_string(axis) +
               ", the kernel takes that for the output channels",
           "quantize the weights along the output channels");
    }
    return true;
  }

  bool check_bias() {
    const Value* const bias = node_.input(2);
    if (bias == nullptr) return true;
    if (node_.is("Gemm") && node_.attr<float>("beta").value_or(1) != 1)
      return fail("beta", "its beta is not 1", "multiply the bias by beta");
    if (target_.bias == BiasForm::float32) {
      if (bias_ != nullptr)
        note(Severity::info, "bias_quantized", "its bias is dequantized by an operator of its own",
             "leave the bias in float");
      return true;
    }
    if (bias_ == nullptr) {
      const bool is_float = bias->initializer() != nullptr || bias->is_constant();
      if (!quantizes_constants() || !is_float || bias->shape().rank() != 1 || finding_.code == "axis")
        return fail("bias_not_quantized", "its bias is not dequantized",
                    "quantize the weights, which quantizes the bias");
      note(Severity::info, "bias_float_runtime_quant", "its bias is float: the runtime quantizes it",
           "quantize the weights, which quantizes the bias");
      return true;
    }
    if (quantized_dtype(*bias_) != DType::i32)
      return fail("bias_dtype",
                  "its bias is " + std::string(to_string(quantized_dtype(*bias_))) + ", the kernel takes i32",
                  "quantize the bias to int32");
    check_bias_scale();
    return true;
  }

  /// The runtime takes the bias for multiples of the input's scale times the weight's, whatever its own scale says.
  void check_bias_scale() {
    const std::optional<Tensor> x = constant_input(*x_, 1),
                                weight = weight_ ? constant_input(*weight_, 1) : std::nullopt,
                                bias = constant_input(*bias_, 1);
    if (!x || !weight || !bias || x->size() != 1) return;
    const float x_scale = x->item<float>() * product_factor(node_);
    const auto weights = weight->to<float>(), biases = bias->to<float>();
    if (weights.empty() || biases.empty()) return;
    for (std::size_t c = 0; c < std::max(weights.size(), biases.size()); ++c) {
      const float wanted = x_scale * weights[c % weights.size()];
      const float given = biases[c % biases.size()];
      if (std::abs(given - wanted) <= 1e-5f * std::abs(wanted)) continue;
      note(Severity::error, "bias_scale_mismatch",
           "the scale of its bias is " + shortest_decimal(given) + " in channel " + std::to_string(c) +
               ", the kernel takes it for " + shortest_decimal(wanted),
           "quantize the bias at the scale of the input times that of the weight");
      return;
    }
  }

  /// As a Gemm it has the Add's operand for a bias, which the runtime quantizes as it does that of others.
  bool check_sum() {
    const Node* const sum = kernel_.has(KernelQuirk::merges_with_add) ? sum_behind(*node_.output(0)) : nullptr;
    if (sum == nullptr || !merges_into_gemm(node_, *sum)) return true;
    const Value& bias = addend(*sum, *node_.output(0));
    set_result(*sum->output(0));
    if (is_quantized_ && bias.shape().rank() == 1 && (bias.initializer() != nullptr || bias.is_constant())) return true;
    return fail("merged_with_add", "the runtime makes a Gemm of it and the Add behind it, whose bias is float",
                "write it as a Gemm, or put a pair of quantizers behind it");
  }

  bool check_dtypes() {
    const DType x = dtype_behind(*x_, target_);
    const DType weight = weight_ != nullptr ? quantized_dtype(*weight_) : DType::i8;
    if (!kernel_.takes(x, weight)) {
      return fail(
          "dtypes",
          "there is no kernel for " + std::string(to_string(x)) + " with weights of " + std::string(to_string(weight)),
          "quantize activations and weights to dtypes that the target takes");
    }
    return check_output_dtype(x);
  }

  bool check_saturation() {
    const std::optional<Tensor> weight = weight_ != nullptr ? constant_input(*weight_, 0) : std::nullopt;
    if (target_.weight_bits == 8 || !weight || weight->dtype() != DType::i8 || is_depthwise(node_)) return true;
    const int most = 1 << (target_.weight_bits - 1);
    const auto codes = weight->data<std::int8_t>();
    if (std::all_of(codes.begin(), codes.end(), [=](std::int8_t code) { return -most <= code && code <= most; }))
      return true;
    note(Severity::warning, "saturates",
         "its weight takes more than " + std::to_string(target_.weight_bits) + " bits: sums of two products saturate",
         "quantize the weights to so many bits");
    return true;
  }

  const Node* x_;
  const Node* weight_;
  const Node* bias_;
};

}  // namespace graft::inline v1::detail
