#pragma once
#include <cstddef>
#include <memory>

#include <graft/graph/detail/account.hpp>

namespace graft::inline v1 {

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
