#pragma once
#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>

namespace graft::inline v1 {

/// Runs task(0) to task(count - 1), in any order and on any threads, and returns when all are done. The tasks do not
/// throw. A run may ask a hundred times in ten milliseconds: threads that sleep in between wake too late to help. They
/// looks for tasks a while before, as those of ThreadPool do.
using ParallelFor = std::function<void(std::int64_t count, const std::function<void(std::int64_t)>& task)>;

}  // namespace graft::inline v1

namespace graft::inline v1::standard_kernels::detail {

/// Runs f(0) to f(count - 1), on the caller's thread if there is nothing else. The first of what they throw comes out.
template <class F>
void for_each_part(const ParallelFor* parallel, std::int64_t count, const F& f) {
  if (parallel == nullptr || count < 2) {
    for (std::int64_t i = 0; i < count; ++i) f(i);
    return;
  }
  std::mutex mutex;
  std::exception_ptr thrown;
  (*parallel)(count, [&](std::int64_t i) {
    try {
      f(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!thrown) thrown = std::current_exception();
    }
  });
  if (thrown) std::rethrow_exception(thrown);
}

/// Runs f(first, last) on parts of so many elements that each is worth a task. They are the same without threads: where
/// a loop begins and ends decides which elements go by vectors, whose functions may round in another way.
template <class F>
void for_each_range(const ParallelFor* parallel, std::int64_t count, std::int64_t part, const F& f) {
  for_each_part(parallel, (count + part - 1) / part,
                [&](std::int64_t i) { f(i * part, std::min(i * part + part, count)); });
}

}  // namespace graft::inline v1::standard_kernels::detail
