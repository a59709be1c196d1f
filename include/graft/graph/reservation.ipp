#pragma once
#include <graft/graph/reservation.hpp>

#include <string>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

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
