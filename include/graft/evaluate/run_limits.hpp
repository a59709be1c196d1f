#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

namespace graft::inline v1 {

/// What ends a run before the graph is done. By default a Loop whose condition stays true runs for ever.
struct RunLimits {
  /// The memory that all tensors of the run may take at a time, and external data that it reads; nullopt: seven eighths
  /// of the machine's.
  std::optional<std::size_t> most_bytes{};
  /// How often bodies may run, all together: the iterations of Loop and Scan, the branches of If.
  std::uint64_t most_bodies = std::numeric_limits<std::uint64_t>::max();
  /// Asked in front of every node and every run of a body, on the thread that runs the graph.
  std::function<bool()> cancelled{};
};

}  // namespace graft::inline v1
