#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace graft::inline v1 {

/// Threads that take tasks beside the caller's: a ParallelFor, as in Evaluator(graph, std::ref(pool)). A run of a small
/// network hands out tasks a hundred times, and to wake a thread takes as long as many of them: so threads look for
/// more a while before they sleep, and the caller waits for none that has not begun. Who asks while it works for
/// another, a task of its own perhaps, does the work alone.
class ThreadPool {
 public:
  /// threads: the caller's among them. Where the system starts no more, there are fewer.
  explicit ThreadPool(int threads);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  void operator()(std::int64_t count, const std::function<void(std::int64_t)>& task);

 private:
  static constexpr std::uint64_t round = std::uint64_t{1} << 32;

  void offer(std::uint32_t count);
  /// Until nothing is left to begin, which is what it returns.
  std::uint64_t work();
  void serve();

  std::vector<std::thread> threads_;
  std::atomic<const std::function<void(std::int64_t)>*> task_{nullptr};
  std::atomic<std::uint64_t> left_{0};  // tasks that nobody has begun; above them the number of the round
  std::atomic<std::int64_t> unfinished_{0};
  std::atomic<bool> busy_{false}, stop_{false};
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/evaluate/thread_pool.ipp>
#endif
