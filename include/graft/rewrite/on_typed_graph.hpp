#pragma once
#include <string>

#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

/// Renames a pass and infers types before each run. If the pass changed the graph, and no node of com.microsoft
/// remains, the import of that domain is removed.
Pass on_typed_graph(std::string name, const Pass& pass);

}  // namespace graft::inline v1
