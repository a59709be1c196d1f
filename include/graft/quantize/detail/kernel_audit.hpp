#pragma once
// Which operators ONNX Runtime computes in integers: core/optimizer/qdq_transformer, its selectors and the passes
// before them. For oneDNN: graph/backend/dnnl/patterns/conv_post_ops.cpp. Where the two differ, the Target says how.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <graft/graph/graph.hpp>
#include <graft/quantize/activation.hpp>
#include <graft/quantize/channels.hpp>
#include <graft/quantize/detail/number.hpp>
#include <graft/quantize/detail/output_chain.hpp>
#include <graft/quantize/detail/quantized_operand.hpp>
#include <graft/quantize/finding.hpp>
#include <graft/quantize/target.hpp>

namespace graft::inline v1::detail {

/// The audit of one operator with an input, a weight and perhaps a bias: the first condition that fails is the finding.
class KernelAudit {
 public:
  KernelAudit(const Node& node, const IntegerKernel& kernel, const Target& target)
      : node_(node),
        kernel_(kernel),
        target_(target),
        x_(dequantize_of(node.input(0), target)),
        weight_(dequantize_of(node.input(1), target)),
        bias_(dequantize_of(node.input(2), target)) {
    finding_.node = describe(node.proto());
    finding_.op = node.op_type();
    static_cast<void>(check_input() && check_weight() && check_bias() && check_output() && check_dtypes() &&
                      check_activations());
  }

  Finding finding() && { return std::move(finding_); }

 private:
  static bool is_overridable(const Value& value) { return value.initializer() != nullptr && !value.is_constant(); }

  /// Something that does not keep the operator from fusing; the worst is kept.
  void note(Severity severity, std::string_view code, std::string text, std::string_view mend) {
    if (severity > finding_.severity)
      finding_ = {finding_.node, finding_.op, true, severity, code, std::move(text), mend};
  }
  bool fail(std::string_view code, std::string text, std::string_view mend, Severity severity = Severity::warning) {
    finding_ = {finding_.node, finding_.op, false, severity, code, std::move(text), mend};
    return false;
  }

  bool check_input() {
    if (x_ == nullptr) {
      // Placement leaves such operators alone.
      if (const Value* const weight = node_.input(1); weight != nullptr && is_overridable(*weight))
        return fail("overridable_weight", "its weight is an initializer that callers may override",
                    "freeze such inputs, or remove them");
      return fail("no_dq_input", "its input is not dequantized", "put a pair of quantizers behind the input");
    }
    const std::optional<Tensor> scale = constant_input(*x_, 1);
    if (scale && scale->size() != 1)
      note(Severity::error, "per_axis_input",
           "its input has " + std::to_string(scale->size()) + " scales: the kernel takes one and fails",
           "quantize the input per tensor");
    return true;
  }

  bool check_weight() {
    const Value* const weight = node_.input(1);
    if (weight_ != nullptr) return check_channels();
    const bool is_float = weight != nullptr && (weight->initializer() != nullptr || weight->is_constant());
    if (!target_.quantizes_constants || !is_float)
      return fail("weight_not_quantized", "its weight is not dequantized", "quantize the weights");
    if (bias_ != nullptr)
      return fail("weight_not_quantized", "its weight is float and its bias is not", "quantize the weights");
    note(Severity::warning, "weight_float_runtime_quant", "its weight is float: the runtime quantizes it, per tensor",
         "quantize the weights");
    return true;
  }

  bool check_channels() {
    const std::optional<Tensor> scale = constant_input(*weight_, 1), zero_point = constant_input(*weight_, 2);
    if (zero_point && zero_point->size() > 1) {
      const auto values = zero_point->to<std::int64_t>();
      if (std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) != values.end())
        note(Severity::error, "zero_points_differ",
             "the channels of its weight have different zero points: the kernel fails",
             "quantize the weights symmetrically");
    }
    const std::size_t rank = weight_->input(0) != nullptr ? weight_->input(0)->shape().rank() : 0;
    if (!scale || scale->size() == 1 || rank == 0) return true;
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
    if (target_.bias == BiasForm::float32) {
      if (bias_ != nullptr)
        note(Severity::info, "bias_quantized", "its bias is dequantized by an operator of its own",
             "leave the bias in float");
      return true;
    }
    if (bias_ == nullptr) {
      const bool is_float = bias->initializer() != nullptr || bias->is_constant();
      if (!target_.quantizes_constants || !is_float || finding_.code == "axis")
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
    const auto x_scale = x->item<float>();
    const auto weights = weight->to<float>(), biases = bias->to<float>();
    if (weights.empty() || biases.empty()) return;
    for (std::size_t c = 0; c < std::max(weights.size(), biases.size()); ++c) {
      const float wanted = x_scale * weights[weights.size() == 1 ? 0 : std::min(c, weights.size() - 1)];
      const float given = biases[biases.size() == 1 ? 0 : std::min(c, biases.size() - 1)];
      if (std::abs(given - wanted) <= 1e-5f * wanted) continue;
      note(Severity::error, "bias_scale_mismatch",
           "the scale of its bias is " + shortest(given) + " in channel " + std::to_string(c) +
               ", the kernel takes it for " + shortest(wanted),
           "quantize the bias at the scale of the input times that of the weight");
      return;
    }
  }

  bool check_dtypes() {
    const DType x = dtype_behind(*x_, target_);
    const DType weight = weight_ != nullptr ? quantized_dtype(*weight_) : DType::i8;
    const auto both = [&](const KernelDTypes& entry) { return entry.activation == x && entry.weight == weight; };
    if (std::none_of(kernel_.dtypes.begin(), kernel_.dtypes.end(), both)) {
      return fail(
          "dtypes",
          "there is no kernel for " + std::string(to_string(x)) + " with weights of " + std::string(to_string(weight)),
          "quantize activations and weights to dtypes that the target takes");
    }
    if (!target_.needs_quantized_output) return true;
    const DType y = dtype_before(*chain_.user, target_);
    if (x != y)
      return fail("dtype_mismatch",
                  "its input is " + std::string(to_string(x)) + ", its output " + std::string(to_string(y)),
                  "quantize input and output to one dtype");
    const std::optional<Tensor> scale = constant_input(*chain_.user, 1);
    if (scale && scale->size() != 1)
      note(Severity::error, "per_axis_output",
           "its output has " + std::to_string(scale->size()) + " scales: the kernel takes one and fails",
           "quantize the output per tensor");
    return true;
  }

  bool check_output() {
    chain_ = output_chain(node_, target_);
    const auto name = [&] { return "'" + std::string(chain_.last->name()) + "'"; };
    if (!target_.needs_quantized_output) return true;
    switch (chain_.end) {
      case OutputChain::End::quantize: return true;
      case OutputChain::End::graph_output:
        return fail("graph_output", name() + " is an output of the graph", "let the output be the dequantized tensor");
      case OutputChain::End::several_users:
        return fail("several_users", name() + " has " + std::to_string(chain_.last->use_count()) + " users",
                    "put a pair of quantizers behind it that all of them share");
      case OutputChain::End::other_operator: return fail_at_operator();
    }
    return true;
  }

  bool check_activations() {
    if (chain_.end != OutputChain::End::quantize) return true;
    const Verdict verdict = fuses(chain_, target_);
    if (verdict) return true;
    const std::string_view code = verdict.reason().code;
    const bool too_many = code == "activations_in_a_row";
    const std::string text = too_many ? "of the " + std::to_string(chain_.activations.size()) +
                                            " activations behind it " + std::to_string(target_.fused_in_a_row) +
                                            " are fused: its output is float"
                                      : activation_text();
    const std::string_view mend = too_many ? "put a pair of quantizers behind the last activation that is fused"
                                           : "put a pair of quantizers in front of the activation, or lower the scale";
    if (code == "near_redundant")
      return fail(code, text + ": the runtime refuses the model", "lower the scale until the bounds hold",
                  Severity::error);
    if (target_.needs_quantized_output) return fail(code, text, mend);
    note(Severity::info, code, text, mend);
    return true;
  }

  bool fail_at_operator() {
    if (chain_.user != nullptr && activation(*chain_.user) != nullptr) {
      return fail("activation_unsupported", "the runtime does not fuse " + std::string(chain_.user->op_type()),
                  "put a pair of quantizers in front of the activation");
    }
    return fail("output_not_quantized", "its output is not quantized", "put a pair of quantizers behind it");
  }

  std::string activation_text() const {
    const Node& last = *chain_.activations.back();
    const std::optional<QParams> q = qparams_of(*chain_.user);
    const std::optional<Range> limits = bounds(last);
    const std::string op(last.op_type());
    if (!q || !limits) return op + " stays in front of the QuantizeLinear";
    const float beyond = overhang(*q, *limits);
    if (beyond <= 0)
      return op + " stays in front of the QuantizeLinear with " + std::to_string(chain_.activations.size()) +
             " activations";
    return "what Q can represent reaches " + shortest(beyond) + " beyond the bounds of " + op;
  }

  const Node& node_;
  const IntegerKernel& kernel_;
  const Target& target_;
  const Node* x_;
  const Node* weight_;
  const Node* bias_;
  OutputChain chain_;
  Finding finding_;
};

}  // namespace graft::inline v1::detail
