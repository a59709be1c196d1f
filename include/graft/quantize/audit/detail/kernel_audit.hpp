#pragma once
// Which operators ONNX Runtime computes in integers: core/optimizer/qdq_transformer, its selectors and the passes
// before them. For oneDNN: the patterns in graph/backend/dnnl/patterns. Where the two differ, the Target says how.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/shortest_decimal.hpp>
#include <graft/quantize/audit/finding.hpp>
#include <graft/quantize/detail/kernel_work.hpp>
#include <graft/quantize/detail/lacked_attributes.hpp>
#include <graft/quantize/detail/merged_sum.hpp>
#include <graft/quantize/detail/output_chain.hpp>
#include <graft/quantize/detail/quantized_operand.hpp>
#include <graft/quantize/target/activation.hpp>
#include <graft/quantize/target/bounds.hpp>
#include <graft/quantize/target/deferral.hpp>
#include <graft/quantize/target/quantizable.hpp>
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

/// What the checks read of an operator: where its operands come from, and what stands behind its results.
struct AuditedNode {
  const Node& node;
  const IntegerKernel& kernel;
  const Target& target;
  /// What dequantizes each operand but for weight and bias; nullptr where nothing does. Not those that are quantized by
  /// what stands behind it.
  std::vector<const Node*> operands{};
  const Node *weight = nullptr, *bias = nullptr;  ///< what dequantizes these
  std::vector<OutputChain> results{};             ///< where it moves values, all that are named; else the first
  const Node* merged_with = nullptr;              ///< the Add with which the runtime makes a Gemm of it
  bool quantizes_own_result = false;              ///< a quantizer stands behind it, the Add aside

  AuditedNode(const Node& audited, const IntegerKernel& its_kernel, const Target& its_target)
      : node(audited), kernel(its_kernel), target(its_target) {
    const bool is_weighted = kernel.form == KernelForm::weighted, moves = kernel.form == KernelForm::same_qparams;
    const std::size_t begin = is_weighted ? 0 : kernel.first_operand;
    const std::size_t end = is_weighted || moves ? begin + 1 : operand_end(node, kernel);
    for (std::size_t i = begin; i < end; ++i) operands.push_back(dequantize_of(node.input(i), target));
    if (is_weighted) {
      weight = dequantize_of(node.input(1), target);
      bias = dequantize_of(node.input(2), target);
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

/// What is the matter where a condition fails; nullopt where it holds.
using Unmet = std::optional<std::string>;

inline Unmet fails_if(bool failed, std::string text) { return failed ? Unmet(std::move(text)) : std::nullopt; }

/// What follows where a condition of the audit fails.
enum class AuditEffect : std::uint8_t {
  in_float,      ///< the kernel is not used
  computed,      ///< nor is the operator: its result is known when the model is loaded
  refused,       ///< the runtime refuses the model
  float_result,  ///< the kernel is not used, unless it gives a result in float whatever reads it
  float_before,  ///< the same, unless it gives a float result to the activation behind it
  info,          ///< these three are remarks on a kernel that is used
  warning,
  error,
};

/// A condition for the kernel to be used, or to compute what the graph says: a row of the audit's tables. The check is
/// a pure function, which may rely on the rows above it that would have ended the audit.
struct AuditCondition {
  std::string_view code;
  AuditEffect effect;
  Unmet (*check)(const AuditedNode&);
  std::string_view mend;
  /// Whether the row has to do with the operator, which some tables ask of rows that they share; nullptr: always.
  bool (*concerns)(const AuditedNode&) = nullptr;
};

/// What reads the result of an activation that only a quantizer takes away.
inline bool waits_for_quantizer(const OutputChain& chain, const Target& target) {
  const auto& row = chain.activations;
  return !row.empty() && fused_activation(*row.front(), target)->when == Fuses::when_redundant;
}

/// Whether a quantizer is among those that read the result itself.
inline bool reaches_quantizer(const OutputChain& chain) {
  const auto& uses = chain.result->uses();
  return std::any_of(uses.begin(), uses.end(),
                     [](const Use& use) { return !use.is_graph_output() && is_quantize(*use.user()); });
}

/// Whether the kernel gives this result in float because nothing quantizes it.
inline bool gives_float(const AuditedNode& a, const OutputChain& chain) {
  return !a.is_quantized(chain) && a.kernel.has(KernelQuirk::float_output) &&
         !a.kernel.has(KernelQuirk::float_beside_quantizers) && !reaches_quantizer(chain);
}

/// Walks a table. The first condition that keeps the kernel from being used is the finding; if there is none, the worst
/// of the remarks, the first of equals.
inline Finding audited(const AuditedNode& a, std::span<const AuditCondition> conditions) {
  Finding finding{.node = display_name(a.node), .op = std::string(a.node.op_type())};
  const auto unused = [&](const AuditCondition& row, std::string text, Severity severity) {
    return Finding{finding.node, finding.op, false, severity, row.code, std::move(text), row.mend};
  };
  const auto remark = [&](const AuditCondition& row, std::string text, Severity severity) {
    if (severity > finding.severity)
      finding = {finding.node, finding.op, true, severity, row.code, std::move(text), row.mend, finding.float_result};
  };
  for (const OutputChain& chain : a.results) finding.float_result = finding.float_result || gives_float(a, chain);
  for (const AuditCondition& row : conditions) {
    if (row.concerns != nullptr && !row.concerns(a)) continue;
    Unmet failure = row.check(a);
    if (!failure) continue;
    switch (row.effect) {
      case AuditEffect::in_float: return unused(row, std::move(*failure), Severity::warning);
      case AuditEffect::computed: return unused(row, std::move(*failure), Severity::none);
      case AuditEffect::refused: return unused(row, std::move(*failure), Severity::error);
      case AuditEffect::float_result:
        if (!a.kernel.has(KernelQuirk::float_beside_quantizers))
          return unused(row, std::move(*failure), Severity::warning);
        finding.float_result = true;
        remark(row, *failure + ": it is float", Severity::info);
        break;
      case AuditEffect::float_before:
        if (!a.kernel.has(KernelQuirk::float_output) || waits_for_quantizer(a.results.front(), a.target))
          return unused(row, std::move(*failure), Severity::warning);
        finding.float_result = true;
        remark(row, std::move(*failure), Severity::info);
        break;
      case AuditEffect::info: remark(row, std::move(*failure), Severity::info); break;
      case AuditEffect::warning: remark(row, std::move(*failure), Severity::warning); break;
      case AuditEffect::error:
        if (a.target.has(Quirk::falls_back_to_float)) return unused(row, std::move(*failure), Severity::warning);
        remark(row, std::move(*failure), Severity::error);
        break;
    }
  }
  return finding;
}

/// The checks that several forms of kernels share.
namespace audits {

inline std::string quoted(const Value& value) { return "'" + std::string(value.name()) + "'"; }

inline Unmet constant() { return "its inputs are constant: the runtime computes it when it loads the model"; }

inline Unmet opset(const AuditedNode& a) {
  return "the runtime has no integer kernel for it in opset " + std::to_string(a.node.opset());
}
inline Unmet older_opset(const AuditedNode& a) {
  return a.node.opset() < a.kernel.since ? opset(a) : std::nullopt;
}
inline Unmet newer_opset(const AuditedNode& a) {
  return a.node.opset() > a.kernel.until ? opset(a) : std::nullopt;
}

/// Whether the kernel of this operator alone gains more than the conversions take that it would need, by the target's
/// costs.
inline bool pays_alone(const AuditedNode& a) {
  const bool is_weighted = a.kernel.form == KernelForm::weighted;
  const std::size_t first = is_weighted ? 0 : a.kernel.first_operand;
  if (a.node.input(first) == nullptr || (is_weighted && a.node.input(1) == nullptr)) return true;
  double gain = time_in_float(a.node, a.kernel) - time_in_integers(a.node, a.kernel);
  for (std::size_t i = 0; i < a.operands.size(); ++i) {
    const Value* const operand = a.node.input(first + i);
    if (a.operands[i] == nullptr && operand != nullptr && !operand->is_constant())
      gain -= time_of(*operand, a.target.quantize);
  }
  for (const OutputChain& chain : a.results)
    if (!a.is_quantized(chain) && !gives_float(a, chain)) gain -= time_of(*chain.last, a.target.dequantize);
  return gain > 0;
}

/// A condition with two remedies.
inline constexpr std::string_view leave_alone =
    "leave it in float unless its neighbours are quantized: alone, conversions would take more than its integer kernel "
    "gains";

inline Unmet dynamic_qparams(const AuditedNode& a) {
  for (const Node* const dequantize : a.dequantizers())
    if (!takes_qparams(*dequantize, a.target)) return "the q-params of an input are not constant";
  return std::nullopt;
}
inline Unmet shared_dequantizer(const AuditedNode& a) {
  if (!a.target.has(Quirk::unshared_dequantizers)) return std::nullopt;
  for (const Node* const dequantize : a.dequantizers())
    if (dequantize->output(0)->use_count() != 1) return quoted(*dequantize->output(0)) + " has other users";
  return std::nullopt;
}

/// The scale of an operand or result is to be one.
inline bool is_list(const Node& quantizer) {
  const std::optional<Tensor> scale = constant_input(quantizer, 1);
  return scale && scale->rank() != 0;
}
inline Unmet list_of_scales(const AuditedNode& a, const Node& quantizer, std::string_view which) {
  return fails_if(a.kernel.has(KernelQuirk::refuses_lists) && is_list(quantizer),
                  "the scale of its " + std::string(which) + " is no scalar: the runtime refuses it");
}
inline Unmet any_list(const AuditedNode& a) {
  if (!a.kernel.has(KernelQuirk::lists_in_float)) return std::nullopt;
  const OutputChain& y = a.results.front();
  return fails_if((a.is_quantized(y) && is_list(*y.user)) ||
                      std::any_of(a.operands.begin(), a.operands.end(), [](const Node* x) { return is_list(*x); }),
                  "a scale of it is no scalar");
}
inline Unmet several_scales(const Node& quantizer, std::string_view which) {
  const std::optional<Tensor> scale = constant_input(quantizer, 1);
  if (!scale || scale->size() == 1) return std::nullopt;
  return "its " + std::string(which) + " has " + std::to_string(scale->size()) +
         " scales: the kernel takes one and fails";
}
inline Unmet input_list(const AuditedNode& a) {
  for (const Node* const operand : a.operands)
    if (Unmet failure = list_of_scales(a, *operand, "input")) return failure;
  return std::nullopt;
}
inline Unmet input_scales(const AuditedNode& a) {
  for (const Node* const operand : a.operands)
    if (Unmet failure = several_scales(*operand, "input")) return failure;
  return std::nullopt;
}
inline Unmet joined_qparams(const AuditedNode& a) {
  const Value* const x = a.kernel.form == KernelForm::weighted ? a.node.input(0) : nullptr;
  return fails_if(x != nullptr && has_joined_qparams(*x, a.target), "parts of its input have different q-params");
}
inline Unmet output_list(const AuditedNode& a) {
  const OutputChain& y = a.results.front();
  return a.is_quantized(y) ? list_of_scales(a, *y.user, "output") : std::nullopt;
}
inline Unmet output_scales(const AuditedNode& a) {
  const OutputChain& y = a.results.front();
  return a.is_quantized(y) ? several_scales(*y.user, "output") : std::nullopt;
}

inline Unmet no_kernel_for(const AuditedNode& a, DType dtype) {
  return fails_if(!a.kernel.takes(dtype), "there is no kernel for " + std::string(to_string(dtype)));
}

/// Of the first result that is not quantized, and that the kernel does not give in float: f(chain), of those that end
/// so.
template <class F>
Unmet unquantized(const AuditedNode& a, F f) {
  for (const OutputChain& chain : a.results) {
    if (a.is_quantized(chain) || gives_float(a, chain)) continue;
    if (Unmet failure = f(chain)) return failure;
  }
  return std::nullopt;
}
inline Unmet waits(const AuditedNode& a) {
  for (const OutputChain& chain : a.results)
    if (gives_float(a, chain) && waits_for_quantizer(chain, a.target))
      return std::string(chain.activations.front()->op_type()) + " stands behind it";
  return std::nullopt;
}
inline Unmet graph_output(const AuditedNode& a) {
  return unquantized(a, [](const OutputChain& chain) {
    return fails_if(chain.end == OutputChain::End::graph_output, quoted(*chain.last) + " is an output of the graph");
  });
}
inline Unmet several_users(const AuditedNode& a) {
  return unquantized(a, [](const OutputChain& chain) {
    return fails_if(chain.end == OutputChain::End::several_users,
                    quoted(*chain.last) + " has " + std::to_string(chain.last->use_count()) + " users");
  });
}
inline bool ends_at_operator(const OutputChain& chain) {
  return chain.end != OutputChain::End::graph_output && chain.end != OutputChain::End::several_users;
}
inline bool ends_at_activation(const OutputChain& chain) {
  return ends_at_operator(chain) && chain.user != nullptr && activation(*chain.user) != nullptr;
}
inline Unmet activation_unsupported(const AuditedNode& a) {
  return unquantized(a, [](const OutputChain& chain) {
    return ends_at_activation(chain) ? Unmet("the runtime does not fuse " + std::string(chain.user->op_type()))
                                     : std::nullopt;
  });
}
inline Unmet output_not_quantized(const AuditedNode& a) {
  return unquantized(a, [](const OutputChain& chain) {
    return fails_if(ends_at_operator(chain) && !ends_at_activation(chain), "its output is not quantized");
  });
}

/// Whether a quantized result is of a dtype that the kernel gives: that which goes in, unless it has its own.
inline Unmet dtype_mismatch(const AuditedNode& a) {
  if (!a.is_quantized(a.results.front())) return std::nullopt;
  const DType x = a.dtype(), y = dtype_before(*a.results.front().user, a.target);
  const auto& given = a.kernel.output_dtypes;
  const bool fits = given.empty() ? x == y : std::find(given.begin(), given.end(), y) != given.end();
  return fails_if(!fits, "its input is " + std::string(to_string(x)) + ", its output " + std::string(to_string(y)));
}

/// Whether integers come out of the kernel, as which it must fit what stands behind it.
inline bool ends_in_integers(const AuditedNode& a, const OutputChain& chain) {
  return a.is_quantized(chain) && (a.kernel.form == KernelForm::same_qparams || !dtype_mismatch(a));
}

inline std::string activation_text(const OutputChain& chain) {
  const Node& last = *chain.activations.back();
  const std::optional<QParams> q = qparams_of(*chain.user);
  const std::optional<Range> limits = bounds(last);
  const std::string op(last.op_type());
  if (!q || !limits) return op + " stays in front of the QuantizeLinear";
  const float beyond = overhang(*q, *limits);
  if (beyond <= 0)
    return op + " stays in front of the QuantizeLinear with " + std::to_string(chain.activations.size()) +
           " activations";
  return "what Q can represent reaches " + shortest_decimal(beyond) + " beyond the bounds of " + op;
}

/// Of the first result whose activations do not vanish for this reason: f(chain).
template <class F>
Unmet unfused(const AuditedNode& a, std::string_view code, F f) {
  for (const OutputChain& chain : a.results) {
    if (!ends_in_integers(a, chain)) continue;
    const Verdict verdict = fuses(chain, a.target);
    if (!verdict && verdict.reason().code == code) return f(chain);
  }
  return std::nullopt;
}
inline Unmet near_redundant(const AuditedNode& a) {
  return unfused(a, "near_redundant", [](const OutputChain& chain) {
    return activation_text(chain) + ": the runtime refuses the model";
  });
}
inline Unmet activations_in_a_row(const AuditedNode& a) {
  return unfused(a, "activations_in_a_row", [&](const OutputChain& chain) {
    return "of the " + std::to_string(chain.activations.size()) + " activations behind it " +
           std::to_string(a.target.fused_in_a_row) + " are fused: its output is float";
  });
}
inline Unmet activation_not_redundant(const AuditedNode& a) {
  return unfused(a, "activation_not_redundant", activation_text);
}

inline std::string attribute_text(const AttributeCondition& condition) {
  return std::string(condition.name) + (condition.text.empty() ? "" : "=" + std::string(condition.text));
}
inline Unmet lacked(const AuditedNode& a, Lacking then, std::string_view what) {
  const LackedAttributes* const found = lacked_attributes(a.node, a.kernel);
  if (found == nullptr || found->then != then) return std::nullopt;
  const std::string other = found->other.name.empty() ? "" : " with " + attribute_text(found->other);
  return "its integer kernel has no " + attribute_text(found->one) + other + std::string(what);
}
inline Unmet attribute(const AuditedNode& a) { return lacked(a, Lacking::in_float, ""); }
inline Unmet attribute_ignored(const AuditedNode& a) {
  return lacked(a, Lacking::miscomputed, ": the runtime computes something else, or fails");
}
inline Unmet rounds_down(const AuditedNode& a) {
  const LackedAttributes* const found = lacked_attributes(a.node, a.kernel);
  if (found == nullptr || found->then != Lacking::rounded_down) return std::nullopt;
  return "its integer kernel rounds the results of " + attribute_text(found->one) + " down";
}
inline Unmet attribute_refused(const AuditedNode& a) {
  return lacked(a, Lacking::refused, ": the runtime refuses it");
}

}  // namespace audits
}  // namespace graft::inline v1::detail
