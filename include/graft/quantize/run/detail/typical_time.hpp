#pragma once
#include <graft/graph/graph.hpp>
#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/audit/expected_time.hpp>
#include <graft/quantize/detail/typical_sizes.hpp>
#include <graft/quantize/kernel/target.hpp>
#include <graft/rewrite/context.hpp>

namespace graft::inline v1::detail {

/// expected_time() with tensors of the sizes that samples have shown.
inline ExpectedTime typical_time(Graph& graph, const Audit& found, const Target& target, const Context& context) {
  const TypicalSizes sizes(graph, context);
  return expected_time(graph, found, target);
}

}  // namespace graft::inline v1::detail
