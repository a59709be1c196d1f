#pragma once
#include <graft/graph/detail/account.hpp>

#include <graft/config.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE std::shared_ptr<Account>& thread_account() {
  thread_local std::shared_ptr<Account> account;
  return account;
}

}  // namespace graft::inline v1::detail
