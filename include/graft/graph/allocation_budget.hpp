#pragma once
#include <cstddef>
#include <memory>

namespace graft::inline v1 {

namespace detail {
class Account;
}

/// While one is alive, the tensors that its thread makes take no more bytes than this at a time, all together. Bytes
/// that are freed, by any thread, may be taken again. Of budgets in budgets each counts. What takes more throws Error.
/// Working memory of kernels is checked against what is left, and not counted.
class AllocationBudget {
 public:
  explicit AllocationBudget(std::size_t bytes);
  AllocationBudget(const AllocationBudget&) = delete;
  AllocationBudget& operator=(const AllocationBudget&) = delete;
  ~AllocationBudget();

  /// What the calling thread may still take; the largest number if it has no budget.
  static std::size_t left();

 private:
  std::shared_ptr<detail::Account> outer_;
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/graph/allocation_budget.ipp>
#endif
