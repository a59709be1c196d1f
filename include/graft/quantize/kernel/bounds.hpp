#pragma once
#include <optional>

#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/range.hpp>

namespace graft::inline v1 {

/// The interval outside of which Relu or Clip let nothing through. nullopt for other operators, for bounds that are not
/// constant, and for those that leave nothing between them.
std::optional<Range> bounds(const Node& node);

}  // namespace graft::inline v1
