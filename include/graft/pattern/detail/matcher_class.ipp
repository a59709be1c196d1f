#pragma once
#include <graft/config.hpp>
#include <graft/pattern/detail/matcher_class.hpp>

#include <functional>

namespace graft::inline v1 {

GRAFT_INLINE bool Matcher::InnerUse::operator<(const InnerUse& other) const {
  return user != other.user ? std::less<>()(user, other.user) : input < other.input;
}

}  // namespace graft::inline v1
