#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace graft::inline v1::detail {

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
std::shared_ptr<Account>& thread_account();

}  // namespace graft::inline v1::detail
