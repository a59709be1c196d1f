#pragma once
// Which operators ONNX Runtime computes in integers: core/optimizer/qdq_transformer, its selectors and the passes
// before them. For oneDNN: the patterns in graph/backend/dnnl/patterns. Where the two differ, the Target says how.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <graft/graph/node.hpp>
#include <graft/quantize/audit/detail/audited_node.hpp>
#include <graft/quantize/audit/finding.hpp>
#include <graft/quantize/detail/output_chain.hpp>
#include <graft/quantize/target/activation.hpp>
#include <graft/quantize/target/deferral.hpp>
#include <graft/quantize/target/quantizable.hpp>
#include <graft/quantize/target/target.hpp>

namespace graft::inline v1::detail {

/// What is the matter where a condition fails; nullopt where it holds.
using Unmet = std::optional<std::string>;

inline Unmet fails_if(bool failed, std::string text) { return failed ? Unmet(std::move(text)) : std::nullopt; }

/// What follows where a condition of the audit fails.
enum class AuditEffect : std::uint8_t {
  in_float,      ///< the kernel is not used
  computed,      ///< nor is the operator: its result is known when the model is loaded
  refused,       ///< the runtime refuses the model
  float_result,  ///< the kernel is not used, unless it can output float
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

/// Whether the chain starts with an activation that only a quantizer takes away.
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

}  // namespace graft::inline v1::detail
