#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

namespace graft::inline v1 {

/// Limits that end a run before the graph is done. By default, a Loop whose condition stays true runs forever.
struct RunLimits {
  /// The limit of memory for all tensors that exist at the same time, and for the external data that a run reads;
  /// nullopt: seven eighths of the machine's.
  std::optional<std::size_t> max_bytes{};
  /// The limit of runs of all bodies together: iterations of Loop and Scan, branches of If.
  std::uint64_t max_bodies = std::numeric_limits<std::uint64_t>::max();
  /// Called before every node and every run of a body, on the thread that runs the graph.
  std::function<bool()> cancelled{};
};

}  // namespace graft::inline v1
