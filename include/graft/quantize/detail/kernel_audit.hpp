#pragma once
// Which operators ONNX Runtime computes in integers: core/optimizer/qdq_transformer, its selectors and the passes
// before them. For oneDNN: the patterns in graph/backend/dnnl/patterns. Where the two differ, the Target says how.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <graft/graph/graph.hpp>
#include <graft/quantize/activation.hpp>
#include <graft/quantize/deferral.hpp>
#include <graft/quantize/detail/lacked_attributes.hpp>
#include <graft/quantize/detail/output_chain.hpp>
#include <graft/quantize/detail/quantized_operand.hpp>
#include <graft/quantize/finding.hpp>
#include <graft/quantize/shortest_decimal.hpp>
#include <graft/quantize/target.hpp>

namespace graft::inline v1::detail {

/// The audit of one operator, its result first of all: the first condition that fails is the finding.
class KernelAudit {
 public:
  KernelAudit(const Node& node, const IntegerKernel& kernel, const Target& target)
      : node_(node), kernel_(kernel), target_(target) {
    set_result(*node.output(0));
    finding_.node = describe(node.proto());
    finding_.op = node.op_type();
  }

  Finding finding() && { return std::move(finding_); }

 protected:
  void set_result(const Value& result) {
    chain_ = output_chain(result, target_, kernel_.fuses_activations());
    const auto& movements = kernel_.moved_by;
    if (chain_.end == OutputChain::End::other_operator && chain_.user != nullptr && chain_.last == &result &&
        chain_.user->domain().empty() && &chain_.user->graph() == &result.graph() &&
        chain_.user->output_count() == 1 &&
        std::find(movements.begin(), movements.end(), chain_.user->op_type()) != movements.end())
      chain_ = output_chain(*chain_.user->output(0), target_, false);
    is_quantized_ = chain_.end == OutputChain::End::quantize && takes_qparams(*chain_.user);
  }

  bool takes_qparams(const Node& quantizer) const {
    return !target_.has(Quirk::constant_qparams_only) ||
           (constant_input(quantizer, 1) && (quantizer.input(2) == nullptr || constant_input(quantizer, 2)));
  }

  /// Something that does not keep the operator from fusing; the worst is kept.
  void note(Severity severity, std::string_view code, std::string text, const char* mend) {
    if (severity > finding_.severity)
      finding_ = {finding_.node, finding_.op, true, severity, code, std::move(text), mend, finding_.float_result};
  }
  bool fail(std::string_view code, std::string text, const char* mend, Severity severity = Severity::warning) {
    finding_ = {finding_.node, finding_.op, false, severity, code, std::move(text), mend};
    return false;
  }

  bool fail_as_constant() {
    return fail("constant", "its inputs are constant: the runtime computes it when it loads the model", "",
                Severity::none);
  }

  bool check_version() {
    const int opset = node_.opset();
    if (kernel_.serves(opset)) return true;
    return fail("opset", "the runtime has no integer kernel for it in opset " + std::to_string(opset),
                kernel_.since > opset ? "raise the opset" : "");
  }

  void check_attributes() {
    const LackedAttributes* const lacked = lacked_attributes(node_, kernel_);
    if (lacked == nullptr) return;
    const auto name = [](const AttributeCondition& condition) {
      return std::string(condition.name) + (condition.text.empty() ? "" : "=" + std::string(condition.text));
    };
    const std::string other = lacked->other.name.empty() ? "" : " with " + name(lacked->other);
    const std::string text = "its integer kernel has no " + name(lacked->one) + other;
    if (lacked->then == Lacking::in_float) {
      fail("attribute", text, "");
    } else if (lacked->then == Lacking::miscomputed) {
      note(Severity::error, "attribute_ignored", text + ": the runtime computes something else, or fails",
           "leave it in float");
    } else {
      note(Severity::error, "attribute", text + ": the runtime refuses it", "leave it in float");
    }
  }

  /// Whether the runtime takes what dequantizes an operand into the kernel.
  bool check_dequantizer(const Node& dequantize) {
    if (!takes_qparams(dequantize))
      return fail("dynamic_qparams", "the q-params of an input are not constant", "quantize it with constant q-params");
    if (!target_.has(Quirk::unshared_dequantizers) || dequantize.output(0)->use_count() == 1) return true;
    return fail("shared_dequantizer", "'" + std::string(dequantize.output(0)->name()) + "' has other users",
                "give the operator a DequantizeLinear of its own");
  }

  /// The scale of an operand or result is to be one.
  void check_scale(const Node& quantizer, std::string_view which) {
    const std::optional<Tensor> scale = constant_input(quantizer, 1);
    if (!scale) return;
    if (kernel_.has(KernelQuirk::refuses_lists) && scale->rank() != 0)
      note(Severity::error, "scale_rank",
           "the scale of its " + std::string(which) + " is no scalar: the runtime refuses it",
           "make scale and zero point scalars");
    if (scale->size() == 1) return;
    const bool is_input = which == "input";
    note(Severity::error, is_input ? "per_axis_input" : "per_axis_output",
         "its " + std::string(which) + " has " + std::to_string(scale->size()) +
             " scales: the kernel takes one and fails",
         is_input ? "quantize the input per tensor" : "quantize the output per tensor");
  }

  /// Of an operator without a weight.
  bool check_dtype(DType dtype) {
    return kernel_.takes(dtype) ||
           fail("dtypes", "there is no kernel for " + std::string(to_string(dtype)),
                "quantize to a dtype that the target takes");
  }

  /// Whether the result is quantized. A kernel that can leave it in float fuses all the same, unless an activation
  /// stands behind it that only a quantizer takes away.
  bool check_output() {
    if (is_quantized_) return true;
    if (kernel_.has(KernelQuirk::float_output) && !kernel_.has(KernelQuirk::float_beside_quantizers) &&
        !reaches_quantizer()) {
      finding_.float_result = true;
      if (!waits_for_quantizer()) return true;
      return fail("activation_not_redundant", std::string(chain_.activations.front()->op_type()) + " stands behind it",
                  "put a pair of quantizers in front of the activation, or behind it");
    }
    const auto name = [&] { return "'" + std::string(chain_.last->name()) + "'"; };
    if (chain_.end == OutputChain::End::graph_output)
      return leave_in_float("graph_output", name() + " is an output of the graph",
                            "let the output be the dequantized tensor");
    if (chain_.end == OutputChain::End::several_users)
      return leave_in_float("several_users", name() + " has " + std::to_string(chain_.last->use_count()) + " users",
                            "put a pair of quantizers behind it that all of them share");
    if (chain_.user != nullptr && activation(*chain_.user) != nullptr)
      return leave_in_float("activation_unsupported",
                            "the runtime does not fuse " + std::string(chain_.user->op_type()),
                            "put a pair of quantizers in front of the activation");
    return leave_in_float("output_not_quantized", "its output is not quantized", "put a pair of quantizers behind it");
  }

  /// A result that no integers can come of: of some kernels it is float then, others do without.
  bool leave_in_float(std::string_view code, std::string text, const char* mend) {
    if (!kernel_.has(KernelQuirk::float_beside_quantizers)) return fail(code, std::move(text), mend);
    finding_.float_result = true;
    note(Severity::info, code, text + ": it is float", mend);
    return true;
  }

  /// Whether a quantizer is among those that read the result itself.
  bool reaches_quantizer() const {
    const auto& uses = chain_.result->uses();
    return std::any_of(uses.begin(), uses.end(),
                       [](const Use& use) { return !use.is_graph_output() && is_quantize(*use.user()); });
  }

  bool waits_for_quantizer() const {
    const auto& row = chain_.activations;
    return !row.empty() && fused_activation(*row.front(), target_)->when == Fuses::when_redundant;
  }

  /// Whether a quantized result is of a dtype that the kernel gives: that which goes in, unless it has its own.
  bool check_output_dtype(DType x) {
    if (!is_quantized_) return true;
    check_scale(*chain_.user, "output");
    const DType y = dtype_before(*chain_.user, target_);
    const auto& given = kernel_.output_dtypes;
    if (given.empty() ? x == y : std::find(given.begin(), given.end(), y) != given.end()) return true;
    is_quantized_ = false;
    return leave_in_float("dtype_mismatch",
                          "its input is " + std::string(to_string(x)) + ", its output " + std::string(to_string(y)),
                          "quantize input and output to one dtype");
  }

  bool check_activations() {
    if (!is_quantized_) return true;
    const Verdict verdict = fuses(chain_, target_);
    if (verdict) return true;
    const std::string_view code = verdict.reason().code;
    const bool too_many = code == "activations_in_a_row";
    const std::string text = too_many ? "of the " + std::to_string(chain_.activations.size()) +
                                            " activations behind it " + std::to_string(target_.fused_in_a_row) +
                                            " are fused: its output is float"
                                      : activation_text();
    const char* const mend = too_many ? "put a pair of quantizers behind the last activation that is fused"
                                      : "put a pair of quantizers in front of the activation, or lower the scale";
    if (code == "near_redundant")
      return fail(code, text + ": the runtime refuses the model", "lower the scale until the bounds hold",
                  Severity::error);
    if (!kernel_.has(KernelQuirk::float_output) || waits_for_quantizer()) return fail(code, text, mend);
    finding_.float_result = true;
    note(Severity::info, code, text, mend);
    return true;
  }

  const Node& node_;
  const IntegerKernel& kernel_;
  const Target& target_;
  OutputChain chain_;
  bool is_quantized_ = false;  ///< the result
  Finding finding_;

 private:
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
    return "what Q can represent reaches " + shortest_decimal(beyond) + " beyond the bounds of " + op;
  }
};

}  // namespace graft::inline v1::detail
