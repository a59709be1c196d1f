#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include <graft/config.hpp>

namespace graft::inline v1 {

/// Threads that take tasks beside the caller's: a ParallelFor, as in Evaluator(graph, std::ref(pool)). A run of a small
/// network hands out tasks a hundred times, and waking a thread takes as long as many of them. So threads look for more
/// tasks for a while before they sleep, and the caller does not wait for threads that have not begun. A nested call,
/// from a task or while another caller works, runs its tasks alone.
class ThreadPool {
 public:
  /// threads: includes the caller's. If the system cannot start as many, there are fewer.
  explicit ThreadPool(int threads);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  void operator()(std::int64_t count, const std::function<void(std::int64_t)>& task);

 private:
  static constexpr std::uint64_t round = std::uint64_t{1} << 32;

  void offer(std::uint32_t count);
  /// Runs until no task is left to begin; returns that state.
  std::uint64_t work();
  void serve();

  std::vector<std::thread> threads_;
  std::atomic<const std::function<void(std::int64_t)>*> task_{nullptr};
  std::atomic<std::uint64_t> left_{0};  // low bits: tasks that have not begun; above them: the number of the round
  std::atomic<std::int64_t> unfinished_{0};
  std::atomic<bool> busy_{false}, stop_{false};
};

}  // namespace graft::inline v1
