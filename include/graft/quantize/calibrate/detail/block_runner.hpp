#pragma once
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <graft/evaluate/any_executor.hpp>
#include <graft/evaluate/thread_pool.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/quantize/detail/statistics_sink.hpp>
#include <graft/quantize/calibrate/gather.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>

namespace graft::inline v1::detail {

/// Runs samples block by block. Each thread takes a run of every block and adds it to statistics of its own.
class BlockRunner {
 public:
  /// Gives the sample of that number. Is called by several threads at once.
  using Take = std::function<MaybeSample(std::size_t number)>;

  /// size: of the samples, where it is known; more threads than their runs are of no use.
  BlockRunner(const StatisticsSink& statistics, const Graph& graph, const std::vector<const Value*>& values,
              std::optional<std::size_t> size, const Gathering& how);

  /// How many samples make a block.
  std::size_t block() const { return executors_.size() * run; }
  /// Runs the samples [first, last), at most a block of them. Adds nothing if the run is to end.
  void operator()(std::size_t first, std::size_t last, const Take& take);
  bool goes_on();

  std::vector<std::string> unreadable() && { return std::move(unreadable_); }

 private:
  static constexpr std::size_t run = 4;  // samples of a thread in a block

  struct Part {
    StatisticsSink statistics;
    std::vector<std::string> unreadable;
  };

  void run_samples(AnyExecutor& executor, std::size_t first, std::size_t last, const Take& take, Part& part);
  void show(const Sample& sample);
  void tell_done();

  StatisticsSink statistics_;
  const std::vector<const Value*>& values_;
  const Gathering& how_;
  std::vector<AnyExecutor> executors_;
  std::optional<ThreadPool> pool_;
  std::vector<std::string> unreadable_;
  std::mutex telling_;
  std::size_t done_;
  bool goes_on_;
};

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/calibrate/detail/block_runner.ipp>
#endif
