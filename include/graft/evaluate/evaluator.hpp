#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/plan.hpp>
#include <graft/evaluate/executor.hpp>
#include <graft/evaluate/kernels.hpp>
#include <graft/evaluate/parallel.hpp>
#include <graft/evaluate/run_limits.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// Runs a graph. Constants are read once, without a copy where they lie; what a run is to compute, and when each value
/// has been read for the last time, follows from what is fed and fetched. The graph must outlive the evaluator and must
/// not change meanwhile. Runs do not change the evaluator: several may go on at once.
class Evaluator {
 public:
  explicit Evaluator(const Graph& graph, const Kernels& kernels = Kernels::standard())
      : Evaluator(graph, ParallelFor(), kernels) {}
  /// Runs on the threads of `parallel` too; without one on the caller's alone. The results are the same, bit for bit.
  Evaluator(const Graph& graph, ParallelFor parallel, const Kernels& kernels = Kernels::standard())
      : Evaluator(graph, RunLimits(), std::move(parallel), kernels) {}
  /// Runs within limits.
  Evaluator(const Graph& graph, RunLimits limits, ParallelFor parallel = {},
            const Kernels& kernels = Kernels::standard())
      : graph_(&graph), plan_(graph, kernels), limits_(std::move(limits)), parallel_(std::move(parallel)) {}

  /// The graph's outputs, or what is fetched; they hold on to nothing of the model.
  /// Throws Error naming the value that is not fed, or fed twice, the operator that has no kernel, or the node that
  /// fails or at which a limit is reached.
  std::vector<Tensor> run(const Feeds& feeds) const;
  std::vector<Tensor> run(const Feeds& feeds, const Fetches& fetches) const;

  /// Shows each fetched value as it passes and keeps none longer than the run needs it. What the observer throws ends
  /// the run.
  void observe(const Feeds& feeds, const Fetches& fetches, const Observer& observer) const;

 private:
  std::size_t slot(const ValueRef& ref) const;

  /// A graph input takes tensors of its declared type only.
  std::size_t feed_slot(const ValueRef& ref, const Tensor& tensor) const;

  const Graph* graph_;
  standard_kernels::detail::Plan plan_;
  RunLimits limits_;
  ParallelFor parallel_;
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/evaluate/evaluator.ipp>
#endif
