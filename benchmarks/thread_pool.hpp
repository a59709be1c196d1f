#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

/// Threads that wait for tasks, of which the caller's is one: a graft::ParallelFor.
class ThreadPool {
 public:
  explicit ThreadPool(int threads) {
    for (int i = 1; i < threads; ++i) threads_.emplace_back([this] { serve(); });
  }
  ~ThreadPool() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    start_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void operator()(std::int64_t count, const std::function<void(std::int64_t)>& task) {
    {
      const std::lock_guard lock(mutex_);
      task_ = &task;
      count_ = count;
      next_ = 0;
      busy_ = threads_.size();
      ++round_;
    }
    start_.notify_all();
    work();
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
  }

 private:
  void work() {
    for (std::int64_t i; (i = next_++) < count_;) (*task_)(i);
  }
  void serve() {
    for (std::int64_t served = 0;; ++served) {
      {
        std::unique_lock lock(mutex_);
        start_.wait(lock, [&] { return stop_ || round_ > served; });
        if (stop_) return;
      }
      work();
      const std::lock_guard lock(mutex_);
      if (--busy_ == 0) done_.notify_one();
    }
  }

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable start_, done_;
  const std::function<void(std::int64_t)>* task_ = nullptr;
  std::atomic<std::int64_t> next_{0};
  std::int64_t count_ = 0, round_ = 0;
  std::size_t busy_ = 0;
  bool stop_ = false;
};
