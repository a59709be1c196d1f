#pragma once
#include <graft/evaluate/evaluator.hpp>

#include <graft/config.hpp>
#include <graft/evaluate/detail/feed.hpp>
#include <graft/graph/memory.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Evaluator::Evaluator(const Graph& graph, RunLimits limits, ParallelFor parallel, const Kernels& kernels)
    : graph_(&graph), plan_(graph, kernels), limits_(std::move(limits)), parallel_(std::move(parallel)) {
  plan_.stream_beyond(max_bytes() / 4 * 3);  // the rest is for what nodes compute
}

GRAFT_INLINE std::size_t Evaluator::max_bytes() const {
  return limits_.max_bytes.value_or(physical_memory() / 8 * 7);  // leaves the rest to the system
}

GRAFT_INLINE std::vector<Tensor> Evaluator::run(const Feeds& feeds) const {
  return run(feeds, standard_kernels::detail::outputs_of(*graph_));
}

GRAFT_INLINE std::vector<Tensor> Evaluator::run(const Feeds& feeds, const Fetches& fetches) const {
  return standard_kernels::detail::run_observed(*this, feeds, fetches);
}

GRAFT_INLINE void Evaluator::observe(const Feeds& feeds, const Fetches& fetches, const Observer& observer) const {
  std::vector<std::pair<std::size_t, Tensor>> given;
  for (const auto& [value, tensor] : feeds) given.emplace_back(feed_slot(value, tensor), tensor);
  std::vector<std::size_t> wanted;
  for (const ValueRef& fetch : fetches) wanted.push_back(slot(fetch));
  const AllocationBudget budget(max_bytes());
  standard_kernels::detail::RunControl control(parallel_ ? &parallel_ : nullptr, limits_);
  plan_.run(std::move(given), wanted, observer, control);
}

GRAFT_INLINE std::size_t Evaluator::slot(const ValueRef& ref) const {
  const Value* value = standard_kernels::detail::resolve(ref, *graph_);
  const std::size_t slot = value != nullptr ? plan_.find(*value) : standard_kernels::detail::Plan::absent;
  if (slot == standard_kernels::detail::Plan::absent) throw standard_kernels::detail::no_such_value(ref, *graph_);
  return slot;
}

GRAFT_INLINE std::size_t Evaluator::feed_slot(const ValueRef& ref, const Tensor& tensor) const {
  const std::size_t place = slot(ref);
  standard_kernels::detail::check_feed(*standard_kernels::detail::resolve(ref, *graph_), tensor);
  return place;
}

}  // namespace graft::inline v1
