#pragma once
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/kernel/outcome.hpp>
#include <graft/quantize/kernel/target.hpp>

namespace graft::inline v1 {

/// What becomes of the operators that the target could compute in integers, in topological order.
struct Audit {
  std::vector<OperatorOutcome> findings;
  /// The operators that vanish into the kernels of others, of whatever type, which are not among the findings.
  std::vector<OperatorOutcome> within{};

  std::size_t fused() const;
  /// The outcomes of one operator: "Conv".
  Audit of(std::string_view op) const;
  /// Whether the model would be refused, or give wrong results without a word. An operator that the backend leaves to
  /// another one is not an error of the model.
  bool has_errors() const;
};

/// A line for each finding.
std::string to_string(const Audit& audit);
inline std::ostream& operator<<(std::ostream& out, const Audit& audit) { return out << to_string(audit); }

/// Predicts, for every operator that the target has an integer kernel for, whether the runtime will use it; of those
/// that only move values, the ones beside quantizers; of operators on integers, the ones that a fault of the runtime
/// spoils. Bodies of the graph's nodes and functions are scopes of their own, to be audited each by itself. The code of
/// an outcome is that of a row of kernel_conditions(), by outcome_of().
Audit audit(const Graph& graph, const Target& target);

}  // namespace graft::inline v1
