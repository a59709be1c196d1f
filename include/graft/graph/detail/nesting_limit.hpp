#pragma once
#include <cstddef>

namespace graft::inline v1::detail {

/// How deep the messages in each other lie at most that protobuf reads: the same for every reader that leaves protobuf
/// its default. A graph inside a graph is three of them deeper.
inline constexpr std::size_t nesting_limit = 100, messages_per_graph = 3;

}  // namespace graft::inline v1::detail
