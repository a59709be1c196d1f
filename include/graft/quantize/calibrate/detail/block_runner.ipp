#pragma once
#include <graft/quantize/calibrate/detail/block_runner.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iterator>
#include <string>
#include <utility>

#include <graft/config.hpp>
#include <graft/quantize/calibrate/observe.hpp>
#include <graft/quantize/calibrate/seen_samples.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE BlockRunner::BlockRunner(const StatisticsSink& statistics, const Graph& graph,
                                      const std::vector<const Value*>& values, std::optional<std::size_t> size,
                                      const Gathering& how)
    : statistics_(statistics), values_(values), how_(how), done_(statistics.samples() + statistics.skipped()) {
  std::size_t threads = how.threads;
  if (size) threads = std::min(threads, (*size + run - 1) / run);
  for (std::size_t t = 0; t < std::max<std::size_t>(threads, 1); ++t) executors_.push_back(how.make_executor(graph));
  pool_.emplace(static_cast<int>(executors_.size()));
  goes_on_ = !how.go_on || how.go_on(done_);
}

GRAFT_INLINE void BlockRunner::operator()(std::size_t first, std::size_t last, const Take& take) {
  std::vector<Part> parts;
  for (std::size_t t = 0; t < executors_.size(); ++t) parts.push_back({statistics_.fork(), {}});
  std::vector<std::exception_ptr> failures(executors_.size());
  const auto work = [&](std::int64_t task) {
    const auto t = static_cast<std::size_t>(task);
    try {
      run_samples(executors_[t], std::min(last, first + t * run), std::min(last, first + (t + 1) * run), take,
                  parts[t]);
    } catch (...) {
      failures[t] = std::current_exception();
    }
  };
  (*pool_)(static_cast<std::int64_t>((last - first + run - 1) / run), work);
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  if (!goes_on_) return;
  for (Part& part : parts) {
    statistics_.merge(part.statistics);
    std::ranges::move(part.unreadable, std::back_inserter(unreadable_));
  }
  if (how_.after_block) how_.after_block();
}

GRAFT_INLINE void BlockRunner::run_samples(AnyExecutor& executor, std::size_t first, std::size_t last, const Take& take,
                                           Part& part) {
  for (std::size_t i = first; i < last && goes_on(); ++i, tell_done()) {
    MaybeSample next = take(i);
    if (next.sample) {
      show(*next.sample);
      observe_one(executor, *next.sample, values_, part.statistics, "sample " + std::to_string(i));
      continue;
    }
    part.unreadable.push_back(std::move(next.why));
    SeenSamples seen;
    if (next.identity) seen.add(next.identity->index, next.identity->name);
    part.statistics.skip(seen);
  }
}

GRAFT_INLINE void BlockRunner::show(const Sample& sample) {
  if (!how_.before_sample) return;
  const std::lock_guard lock(telling_);
  how_.before_sample(sample);
}

GRAFT_INLINE bool BlockRunner::goes_on() {
  const std::lock_guard lock(telling_);
  return goes_on_;
}

GRAFT_INLINE void BlockRunner::tell_done() {
  const std::lock_guard lock(telling_);
  ++done_;
  if (how_.go_on) goes_on_ = how_.go_on(done_) && goes_on_;
}

}  // namespace graft::inline v1::detail
