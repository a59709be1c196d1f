#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>

#include <graft/config.hpp>

namespace graft::inline v1 {

/// Runs task(0) to task(count - 1), in any order and on any threads, and returns when all are done. The tasks do not
/// throw. It may be called a hundred times in ten milliseconds, and threads that sleep in between wake too late to
/// help. So threads should look for new tasks for a while before they sleep, as those of ThreadPool do.
using ParallelFor = std::function<void(std::int64_t count, const std::function<void(std::int64_t)>& task)>;

namespace detail {

/// Runs f(0) to f(count - 1) on the threads of the ParallelFor. Rethrows the first exception.
void run_parts(const ParallelFor& parallel, std::int64_t count, const std::function<void(std::int64_t)>& f);

}  // namespace detail

/// Runs f(0) to f(count - 1), on the caller's thread without a ParallelFor. Rethrows the first exception.
template <class F>
void for_each_part(const ParallelFor* parallel, std::int64_t count, const F& f) {
  if (parallel == nullptr || count < 2) {
    for (std::int64_t i = 0; i < count; ++i) f(i);
    return;
  }
  detail::run_parts(*parallel, count, std::cref(f));
}

/// Runs f(first, last) on parts with enough elements for a task each. The parts are the same without threads, because
/// the bounds of a loop decide which elements are vectorized, and vectorized functions may round differently.
template <class F>
void for_each_range(const ParallelFor* parallel, std::int64_t count, std::int64_t part, const F& f) {
  for_each_part(parallel, (count + part - 1) / part,
                [&](std::int64_t i) { f(i * part, std::min(i * part + part, count)); });
}

}  // namespace graft::inline v1
