#pragma once
#include <graft/graph/node.hpp>

namespace graft::inline v1::detail {

/// Whether its first output is there, and has a name: what lacks it computes nothing that could be quantized.
inline bool has_result(const Node& node) { return node.output_count() != 0 && !node.output(0)->name().empty(); }

}  // namespace graft::inline v1::detail
