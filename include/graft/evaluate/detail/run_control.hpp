#pragma once
#include <cstdint>
#include <string>

#include <graft/evaluate/detail/external_reads.hpp>
#include <graft/evaluate/parallel.hpp>
#include <graft/evaluate/run_limits.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/node.hpp>

namespace graft::inline v1::standard_kernels::detail {

/// What a run and those of the bodies in it share.
class RunControl {
 public:
  RunControl(const ParallelFor* parallel, const RunLimits& limits) : parallel_(parallel), limits_(limits) {}

  const ParallelFor* parallel() const { return parallel_; }
  ExternalReads& external() { return external_; }

  /// A node is about to run. Throws Error if the run is cancelled.
  void enter(const Node& node) const {
    if (is_cancelled()) throw cancellation().node(display_name(node));
  }
  /// A body is about to run. Throws Error if it must not, which the caller completes with the node.
  void enter_body() {
    if (bodies_ == limits_.most_bodies)
      throw Error("bodies have run " + std::to_string(bodies_) + " times, which is the limit");
    ++bodies_;
    if (is_cancelled()) throw cancellation();
  }

 private:
  bool is_cancelled() const { return limits_.cancelled && limits_.cancelled(); }
  static Error cancellation() { return Error("the run was cancelled"); }

  const ParallelFor* parallel_;
  const RunLimits& limits_;
  std::uint64_t bodies_ = 0;
  ExternalReads external_;
};

}  // namespace graft::inline v1::standard_kernels::detail
