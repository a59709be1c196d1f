#pragma once
#include <cstddef>
#include <memory>

namespace graft::inline v1 {

namespace detail {
class Account;
}

/// Limits the total bytes of the tensors that the calling thread holds during the budget's lifetime. Bytes that any
/// thread frees may be taken again. Of nested budgets each counts. An allocation beyond a budget throws Error. Working
/// memory of kernels is checked against the rest of the budget, but not counted.
class AllocationBudget {
 public:
  explicit AllocationBudget(std::size_t bytes);
  AllocationBudget(const AllocationBudget&) = delete;
  AllocationBudget& operator=(const AllocationBudget&) = delete;
  ~AllocationBudget();

  /// The bytes that the calling thread may still take; the largest number if it has no budget.
  static std::size_t left();

 private:
  std::shared_ptr<detail::Account> outer_;
};

}  // namespace graft::inline v1
