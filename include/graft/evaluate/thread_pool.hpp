#pragma once
#include <atomic>
#include <chrono>
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
  /// threads: the caller's among them.
  explicit ThreadPool(int threads) {
    for (int i = 1; i < threads; ++i) threads_.emplace_back([this] { serve(); });
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool() {
    stop_ = true;
    offer(0);
    for (std::thread& thread : threads_) thread.join();
  }

  void operator()(std::int64_t count, const std::function<void(std::int64_t)>& task) {
    if (count <= 1 || static_cast<std::uint64_t>(count) >= round || busy_.exchange(true)) {
      for (std::int64_t i = 0; i < count; ++i) task(i);
      return;
    }
    task_ = &task;
    unfinished_ = count;
    offer(static_cast<std::uint32_t>(count));
    work();
    while (unfinished_ != 0) std::this_thread::yield();
    busy_ = false;
  }

 private:
  static constexpr std::uint64_t round = std::uint64_t{1} << 32;

  void offer(std::uint32_t count) {
    left_ = (left_ / round + 1) * round + count;
    left_.notify_all();
  }
  /// Until nothing is left to begin, which is what it returns.
  std::uint64_t work() {
    std::uint64_t left = left_;
    while (left % round != 0) {
      const auto* const task = task_.load();  // of this round, if nothing has changed below
      if (!left_.compare_exchange_weak(left, left - 1)) continue;
      (*task)(static_cast<std::int64_t>(left % round) - 1);
      --unfinished_;
      left = left_;
    }
    return left;
  }
  void serve() {
    constexpr std::chrono::microseconds patience{100};
    for (std::uint64_t left = 0; !stop_; left = work()) {
      const auto start = std::chrono::steady_clock::now();
      while (left_ == left && std::chrono::steady_clock::now() - start < patience) std::this_thread::yield();
      left_.wait(left);
    }
  }

  std::vector<std::thread> threads_;
  std::atomic<const std::function<void(std::int64_t)>*> task_{nullptr};
  std::atomic<std::uint64_t> left_{0};  // tasks that nobody has begun; above them the number of the round
  std::atomic<std::int64_t> unfinished_{0};
  std::atomic<bool> busy_{false}, stop_{false};
};

}  // namespace graft::inline v1
