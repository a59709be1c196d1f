#pragma once
#include <graft/graph/graph.hpp>
#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/kernel/target.hpp>

namespace graft::inline v1 {

/// What operators take on one thread by a target's table of costs, in nanoseconds. Operators without an integer kernel
/// take as long quantized as in float, by Target::float_costs and Target::other.
struct ExpectedTime {
  double in_float = 0;   ///< with all of them in float
  double quantized = 0;  ///< as the graph is, with the conversions between float and integers

  /// 1 where nothing is known.
  double speedup() const { return in_float > 0 && quantized > 0 ? in_float / quantized : 1; }
};

/// found: the audit of the same graph for the same target.
ExpectedTime expected_time(const Graph& graph, const Audit& found, const Target& target);

}  // namespace graft::inline v1
