#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <graft/graph/dtype.hpp>

namespace graft::inline v1 {

namespace detail {
class Account;
}

/// The memory in bytes that this process may use: the machine's, or less where the system limits the process, as by
/// `ulimit` or in a container. An operating system may promise more, and then kill the process that uses it.
std::size_t physical_memory();

/// Limits the bytes of each tensor that the calling thread allocates during its lifetime, results of kernels included.
/// Of nested limits the least counts.
class AllocationLimit {
 public:
  explicit AllocationLimit(std::size_t bytes);
  AllocationLimit(const AllocationLimit&) = delete;
  AllocationLimit& operator=(const AllocationLimit&) = delete;
  ~AllocationLimit();

  /// The limit of the calling thread; physical_memory() if it has none.
  static std::size_t current();

 private:
  std::size_t outer_;
};

/// The byte_count() of a tensor to be allocated. Throws Error beyond AllocationLimit::current().
std::size_t allocated_bytes(DType dtype, std::span<const std::int64_t> dims);

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

/// Takes bytes from the thread's AllocationBudget and its outer budgets until destruction. Use it for memory that no
/// tensor of graft owns.
class Reservation {
 public:
  /// Throws Error if a budget has fewer bytes left.
  explicit Reservation(std::size_t bytes);
  Reservation(Reservation&& other) noexcept = default;
  Reservation& operator=(Reservation&&) = delete;
  ~Reservation();

 private:
  std::shared_ptr<detail::Account> account_;
  std::size_t bytes_;
};

}  // namespace graft::inline v1
