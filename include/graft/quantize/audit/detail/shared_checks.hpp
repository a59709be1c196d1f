#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <graft/graph/node.hpp>
#include <graft/graph/shortest_decimal.hpp>
#include <graft/quantize/audit/detail/audit_condition.hpp>
#include <graft/quantize/audit/detail/audited_node.hpp>
#include <graft/quantize/detail/kernel_work.hpp>
#include <graft/quantize/detail/lacked_attributes.hpp>
#include <graft/quantize/detail/output_chain.hpp>
#include <graft/quantize/detail/quantized_operand.hpp>
#include <graft/quantize/target/activation.hpp>
#include <graft/quantize/target/bounds.hpp>
#include <graft/quantize/target/deferral.hpp>
#include <graft/quantize/target/target.hpp>

namespace graft::inline v1::detail {

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
      gain -= conversion_time(*operand, a.target.quantize, a.target);
  }
  for (const OutputChain& chain : a.results)
    if (!a.is_quantized(chain) && !gives_float(a, chain))
      gain -= conversion_time(*chain.last, a.target.dequantize, a.target);
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
  return fails_if(a.has_joined_qparams, "parts of its input have different q-params");
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

/// Whether integers come out of the kernel, as which it must fit the chain after it.
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
