#pragma once
#include <graft/evaluate/parallel.hpp>

#include <exception>
#include <mutex>

#include <graft/config.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE void run_parts(const ParallelFor& parallel, std::int64_t count,
                            const std::function<void(std::int64_t)>& f) {
  std::mutex mutex;
  std::exception_ptr thrown;
  parallel(count, [&](std::int64_t i) {
    try {
      f(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!thrown) thrown = std::current_exception();
    }
  });
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace graft::inline v1::detail
