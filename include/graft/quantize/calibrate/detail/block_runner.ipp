#pragma once
#include <graft/quantize/calibrate/detail/block_runner.hpp>

#include <algorithm>
#include <exception>
#include <iterator>
#include <string>
#include <thread>
#include <utility>

#include <graft/config.hpp>
#include <graft/quantize/calibrate/observe.hpp>
#include <graft/quantize/calibrate/seen_samples.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE BlockRunner::BlockRunner(const StatisticsSink& statistics, const Graph& graph,
                                      const std::vector<const Value*>& values, const Gathering& how)
    : statistics_(statistics), values_(values), how_(how), done_(statistics.samples() + statistics.skipped()) {
  for (std::size_t t = 0; t < std::max<std::size_t>(how.threads, 1); ++t)
    executors_.push_back(how.make_executor(graph));
  goes_on_ = !how.go_on || how.go_on(done_);
}

GRAFT_INLINE void BlockRunner::operator()(std::size_t first, std::size_t last, const Take& take) {
  std::vector<Part> parts;
  for (std::size_t t = 0; t < executors_.size(); ++t) parts.push_back({statistics_.fork(), {}});
  std::vector<std::exception_ptr> failures(executors_.size());
  const auto work = [&](std::size_t t) {
    try {
      run_samples(executors_[t], std::min(last, first + t * run), std::min(last, first + (t + 1) * run), take,
                  parts[t]);
    } catch (...) {
      failures[t] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t t = 1; t < executors_.size() && first + t * run < last; ++t) threads.emplace_back(work, t);
  work(0);
  for (std::thread& thread : threads) thread.join();
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
      observe_one(executor, *next.sample, values_, part.statistics, "sample " + std::to_string(i));
      continue;
    }
    part.unreadable.push_back(std::move(next.why));
    SeenSamples seen;
    if (next.identity) seen.add(next.identity->index, next.identity->name);
    part.statistics.skip(seen);
  }
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
