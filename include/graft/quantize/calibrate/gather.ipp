#pragma once
#include <graft/quantize/calibrate/gather.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/any_executor.hpp>
#include <graft/evaluate/thread_pool.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/calibrate/observe.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/calibrate/seen_samples.hpp>
#include <graft/quantize/detail/statistics_sink.hpp>

namespace graft::inline v1::detail {

/// Runs samples in blocks. Each thread takes consecutive samples of every block, and has its own statistics.
class BlockRunner {
 public:
  /// Returns the sample of that number. Several threads call it at the same time.
  using Take = std::function<MaybeSample(std::size_t number)>;

  /// size: the number of samples, if it is known; it limits the number of threads.
  BlockRunner(const StatisticsSink& statistics, const Graph& graph, const std::vector<const Value*>& values,
              std::optional<std::size_t> size, const GatherOptions& how);

  /// The number of samples in a block.
  std::size_t block() const { return executors_.size() * run; }
  /// Runs the samples [first, last), at most one block. Adds nothing if the run is cancelled.
  void operator()(std::size_t first, std::size_t last, const Take& take);
  bool goes_on();

  std::vector<std::string> unreadable() && { return std::move(unreadable_); }

 private:
  static constexpr std::size_t run = 4;  // consecutive samples of a thread in a block

  struct Part {
    StatisticsSink statistics;
    std::vector<std::string> unreadable;
  };

  void run_samples(AnyExecutor& executor, std::size_t first, std::size_t last, const Take& take, Part& part);
  void show(const Sample& sample);
  void tell_done();

  StatisticsSink statistics_;
  const std::vector<const Value*>& values_;
  const GatherOptions& how_;
  std::vector<AnyExecutor> executors_;
  std::optional<ThreadPool> pool_;
  std::vector<std::string> unreadable_;
  std::mutex telling_;
  std::size_t done_;
  bool goes_on_;
};

GRAFT_INLINE BlockRunner::BlockRunner(const StatisticsSink& statistics, const Graph& graph,
                                      const std::vector<const Value*>& values, std::optional<std::size_t> size,
                                      const GatherOptions& how)
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

GRAFT_INLINE std::vector<std::string> gather_into(const StatisticsSink& statistics, const Graph& graph,
                                                  const std::vector<const Value*>& values, const SampleSource& samples,
                                                  const GatherOptions& how) {
  BlockRunner run(statistics, graph, values, samples.size(), how);
  const auto begun = static_cast<std::size_t>(statistics.samples() + statistics.skipped());
  if (samples.is_indexed()) {
    const std::size_t size = *samples.size();
    const auto take = [&](std::size_t i) { return samples.at(i); };
    for (std::size_t at = begun; at < size && run.goes_on(); at += run.block())
      run(at, std::min(size, at + run.block()), take);
    return std::move(run).unreadable();
  }
  std::vector<MaybeSample> waiting;
  std::size_t at = 0;
  const auto run_block = [&] {
    const std::size_t first = at - waiting.size();
    run(first, at, [&](std::size_t i) { return std::move(waiting[i - first]); });
    waiting.clear();
  };
  samples.for_each([&](const Sample& sample) {
    if (!run.goes_on()) return false;
    if (at++ < begun) return true;
    waiting.push_back({sample});
    if (waiting.size() == run.block()) run_block();
    return run.goes_on();
  });
  if (!waiting.empty()) run_block();
  return std::move(run).unreadable();
}

}  // namespace graft::inline v1::detail
