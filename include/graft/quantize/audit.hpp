#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/quantize/detail/kernel_audit.hpp>
#include <graft/quantize/finding.hpp>
#include <graft/quantize/quantizable.hpp>
#include <graft/quantize/target.hpp>

namespace graft::inline v1 {

/// What becomes of the operators that the target could compute in integers, in topological order.
struct Audit {
  std::vector<Finding> findings;

  std::size_t fused() const {
    std::size_t count = 0;
    for (const Finding& finding : findings) count += finding.fused;
    return count;
  }
  /// Whether the model would be refused, or give wrong results without a word.
  bool has_errors() const {
    for (const Finding& finding : findings)
      if (finding.severity == Severity::error) return true;
    return false;
  }
};

/// Predicts, for every operator that the target has an integer kernel for, whether the runtime will use it. Bodies of
/// the graph's nodes and functions are scopes of their own, to be audited each by itself.
inline Audit audit(const Graph& graph, const Target& target) {
  Audit result;
  for (const Node& node : graph.nodes())
    if (const IntegerKernel* const kernel = integer_kernel(node, target))
      result.findings.push_back(detail::KernelAudit(node, *kernel, target).finding());
  return result;
}

}  // namespace graft::inline v1
