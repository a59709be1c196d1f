#pragma once
#include <graft/graph/allocation_budget.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/detail/account.hpp>

namespace graft::inline v1 {

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

}  // namespace graft::inline v1
