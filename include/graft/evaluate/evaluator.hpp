#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include <graft/evaluate/detail/feed.hpp>
#include <graft/evaluate/detail/plan.hpp>
#include <graft/evaluate/executor.hpp>
#include <graft/evaluate/kernels.hpp>
#include <graft/evaluate/parallel.hpp>
#ifndef GRAFT_SEPARATE
#include <graft/evaluate/standard.hpp>
#endif

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
      : graph_(&graph), plan_(graph, kernels), parallel_(std::move(parallel)) {}

  /// The graph's outputs, or what is fetched; they hold on to nothing of the model.
  /// Throws Error naming the value that is not fed, or fed twice, the operator that has no kernel, or the node that
  /// fails.
  std::vector<Tensor> run(const Feeds& feeds) const {
    return run(feeds, standard_kernels::detail::outputs_of(*graph_));
  }
  std::vector<Tensor> run(const Feeds& feeds, const Fetches& fetches) const {
    return standard_kernels::detail::run_observed(*this, feeds, fetches);
  }

  /// Shows each fetched value as it passes and keeps none longer than the run needs it. What the observer throws ends
  /// the run.
  void observe(const Feeds& feeds, const Fetches& fetches, const Observer& observer) const {
    std::vector<std::pair<std::size_t, Tensor>> given;
    for (const auto& [value, tensor] : feeds) given.emplace_back(feed_slot(value, tensor), tensor);
    std::vector<std::size_t> wanted;
    for (const ValueRef& fetch : fetches) wanted.push_back(slot(fetch));
    plan_.run(std::move(given), wanted, observer, parallel_ ? &parallel_ : nullptr);
  }

 private:
  std::size_t slot(const ValueRef& ref) const {
    const Value* value = standard_kernels::detail::resolve(ref, *graph_);
    const std::size_t slot = value != nullptr ? plan_.find(*value) : standard_kernels::detail::Plan::absent;
    if (slot == standard_kernels::detail::Plan::absent) throw standard_kernels::detail::no_such_value(ref, *graph_);
    return slot;
  }

  /// A graph input takes tensors of its declared type only.
  std::size_t feed_slot(const ValueRef& ref, const Tensor& tensor) const {
    const std::size_t place = slot(ref);
    standard_kernels::detail::check_feed(*standard_kernels::detail::resolve(ref, *graph_), tensor);
    return place;
  }

  const Graph* graph_;
  standard_kernels::detail::Plan plan_;
  ParallelFor parallel_;
};

}  // namespace graft::inline v1
