#pragma once
#include <cstddef>

namespace graft::inline v1::detail {

/// The greatest nesting of messages that protobuf reads by default. A graph inside a graph is three messages deeper.
inline constexpr std::size_t nesting_limit = 100, messages_per_graph = 3;

}  // namespace graft::inline v1::detail
