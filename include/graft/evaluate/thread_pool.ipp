#pragma once
#include <graft/config.hpp>
#include <graft/evaluate/thread_pool.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <system_error>

namespace graft::inline v1 {

GRAFT_INLINE ThreadPool::ThreadPool(int threads) {
  threads_.reserve(static_cast<std::size_t>(std::max(threads, 1)));
  try {
    for (int i = 1; i < threads; ++i) threads_.emplace_back([this] { serve(); });
  } catch (const std::system_error&) {
    // The threads that could be started do the work.
  }
}

GRAFT_INLINE ThreadPool::~ThreadPool() {
  stop_ = true;
  offer(0);
  for (std::thread& thread : threads_) thread.join();
}

GRAFT_INLINE void ThreadPool::operator()(std::int64_t count, const std::function<void(std::int64_t)>& task) {
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

GRAFT_INLINE void ThreadPool::offer(std::uint32_t count) {
  left_ = (left_ / round + 1) * round + count;
  left_.notify_all();
}

GRAFT_INLINE std::uint64_t ThreadPool::work() {
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

GRAFT_INLINE void ThreadPool::serve() {
  constexpr std::chrono::microseconds patience{100};
  for (std::uint64_t left = 0; !stop_; left = work()) {
    const auto start = std::chrono::steady_clock::now();
    while (left_ == left && std::chrono::steady_clock::now() - start < patience) std::this_thread::yield();
    left_.wait(left);
  }
}

}  // namespace graft::inline v1
