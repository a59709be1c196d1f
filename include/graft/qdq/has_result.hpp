#pragma once
#include <graft/graph/node.hpp>

namespace graft::inline v1::detail {

/// Whether the node has a first output with a name; other nodes compute nothing that could be quantized.
inline bool has_result(const Node& node) { return node.output_count() != 0 && !node.output(0)->name().empty(); }

}  // namespace graft::inline v1::detail
