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

/// Runs a graph. Constants are loaded once, without a copy if possible. If those in files have more than three quarters
/// of RunLimits::max_bytes, each node reads its own in each run, and drops them. Each run computes only what its feeds
/// and fetches need, and frees each value after its last reader. The graph must outlive the evaluator and must not
/// change meanwhile. Runs do not change the evaluator: several can run at the same time.
class Evaluator {
 public:
  explicit Evaluator(const Graph& graph, const Kernels& kernels = Kernels::standard())
      : Evaluator(graph, ParallelFor(), kernels) {}
  /// Also runs on the threads of `parallel`; without it, only on the caller's. The results are the same, bit for bit.
  Evaluator(const Graph& graph, ParallelFor parallel, const Kernels& kernels = Kernels::standard())
      : Evaluator(graph, RunLimits(), std::move(parallel), kernels) {}
  /// Runs within limits.
  Evaluator(const Graph& graph, RunLimits limits, ParallelFor parallel = {},
            const Kernels& kernels = Kernels::standard());

  /// Returns the graph's outputs, or the fetched values; they do not refer to the model. Throws Error naming a value
  /// that is not fed or fed twice, an operator without a kernel, or the node that fails or reaches a limit.
  std::vector<Tensor> run(const Feeds& feeds) const;
  std::vector<Tensor> run(const Feeds& feeds, const Fetches& fetches) const;

  /// Shows each fetched value as soon as it is computed, and keeps none longer than the run needs it. An exception of
  /// the observer ends the run.
  void observe(const Feeds& feeds, const Fetches& fetches, const Observer& observer) const;

 private:
  std::size_t max_bytes() const;
  std::size_t slot(const ValueRef& ref) const;

  /// Checks that the tensor of a graph input has the declared type.
  std::size_t feed_slot(const ValueRef& ref, const Tensor& tensor) const;

  const Graph* graph_;
  standard_kernels::detail::Plan plan_;
  RunLimits limits_;
  ParallelFor parallel_;
};

}  // namespace graft::inline v1
