#pragma once
#include <graft/graph/memory.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/detail/platform.hpp>
#include <graft/graph/dims.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::size_t physical_memory() {
  static const std::size_t bytes = detail::platform::physical_memory();
  return bytes;
}

namespace detail {

/// The bytes in use of an AllocationBudget. It outlives the budget as long as any of them are in use.
class Account {
 public:
  Account(std::size_t most, std::shared_ptr<Account> outer) : max_(most), outer_(std::move(outer)) {}

  Account* outer() const { return outer_.get(); }
  std::size_t left() const { return max_ - taken_.load(std::memory_order_relaxed); }
  /// Takes bytes. Returns false if fewer are left.
  bool take(std::size_t bytes) {
    std::size_t taken = taken_.load(std::memory_order_relaxed);
    do {
      if (bytes > max_ - taken) return false;
    } while (!taken_.compare_exchange_weak(taken, taken + bytes, std::memory_order_relaxed));
    return true;
  }
  void give_back(std::size_t bytes) { taken_.fetch_sub(bytes, std::memory_order_relaxed); }

 private:
  const std::size_t max_;
  const std::shared_ptr<Account> outer_;
  std::atomic<std::size_t> taken_{0};
};

/// The account of the calling thread's innermost budget; nullptr if it has none.
inline std::shared_ptr<Account>& thread_account() {
  thread_local std::shared_ptr<Account> account;
  return account;
}

inline std::size_t& allocation_limit() {
  thread_local std::size_t bytes = std::numeric_limits<std::size_t>::max();
  return bytes;
}

}  // namespace detail

GRAFT_INLINE AllocationLimit::AllocationLimit(std::size_t bytes)
    : outer_(std::exchange(detail::allocation_limit(), std::min(bytes, detail::allocation_limit()))) {}

GRAFT_INLINE AllocationLimit::~AllocationLimit() { detail::allocation_limit() = outer_; }

GRAFT_INLINE std::size_t AllocationLimit::current() { return std::min(detail::allocation_limit(), physical_memory()); }

GRAFT_INLINE std::size_t allocated_bytes(DType dtype, std::span<const std::int64_t> dims) {
  const std::size_t bytes = byte_count(dtype, dims);
  const std::size_t limit = AllocationLimit::current(), left = AllocationBudget::left();
  if (bytes <= std::min(limit, left)) return bytes;
  const char* const why = left < limit                 ? "the budget has left "
                          : limit == physical_memory() ? "the machine has "
                                                       : "the limit is ";
  throw Error(to_string(dtype, dims) + " needs " + std::to_string(bytes) + " bytes, " + why +
              std::to_string(std::min(limit, left)));
}

GRAFT_INLINE AllocationBudget::AllocationBudget(std::size_t bytes) : outer_(detail::thread_account()) {
  detail::thread_account() = std::make_shared<detail::Account>(bytes, outer_);
}

GRAFT_INLINE AllocationBudget::~AllocationBudget() { detail::thread_account() = std::move(outer_); }

GRAFT_INLINE std::size_t AllocationBudget::left() {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const detail::Account* account = detail::thread_account().get(); account != nullptr; account = account->outer())
    least = std::min(least, account->left());
  return least;
}

GRAFT_INLINE Reservation::Reservation(std::size_t bytes) : account_(detail::thread_account()), bytes_(bytes) {
  for (detail::Account* account = account_.get(); account != nullptr; account = account->outer()) {
    if (account->take(bytes)) continue;
    const std::size_t left = account->left();
    for (detail::Account* inner = account_.get(); inner != account; inner = inner->outer()) inner->give_back(bytes);
    throw Error(std::to_string(bytes) + " bytes are needed, the budget has " + std::to_string(left) + " left");
  }
}

GRAFT_INLINE Reservation::~Reservation() {
  for (detail::Account* account = account_.get(); account != nullptr; account = account->outer())
    account->give_back(bytes_);
}

}  // namespace graft::inline v1
