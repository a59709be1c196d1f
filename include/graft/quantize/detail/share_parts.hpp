#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/error.hpp>
#include <graft/quantize/weights/ranks.hpp>

namespace graft::inline v1::detail {

/// Calls take(i, make(i)) for i from 0 to count - 1, in this order. Ranks share the calls of make(): rank r makes parts
/// r, r + ranks.count and so on. All ranks take the same, and must call it equally often. to_bytes() and from_bytes()
/// carry a part to the others.
template <class Make, class Take>
void share_parts(const Ranks& ranks, std::size_t count, const Make& make, const Take& take) {
  if (ranks.count < 2) {
    for (std::size_t i = 0; i < count; ++i) take(i, make(i));
    return;
  }
  for (std::size_t first = 0; first < count; first += ranks.count) {
    const std::size_t own = first + ranks.rank, parts = std::min(ranks.count, count - first);
    const std::vector<std::string> all = ranks.exchange(own < count ? to_bytes(make(own)) : std::string());
    for (std::size_t i = 0; i < parts; ++i) {
      decltype(make(own)) part;
      from_bytes(all[i], part);
      take(first + i, std::move(part));
    }
  }
}

/// The least of the ranks' numbers.
inline double least(const Ranks& ranks, double own) {
  if (ranks.count < 2) return own;
  std::string bytes(sizeof own, '\0');
  std::memcpy(bytes.data(), &own, sizeof own);
  for (const std::string& other : ranks.exchange(bytes)) {
    if (other.size() != sizeof own) throw Error("the message of another rank cannot be read");
    double number = 0;
    std::memcpy(&number, other.data(), sizeof number);
    own = std::min(own, number);
  }
  return own;
}

/// Whether it holds on all ranks.
inline bool on_all(const Ranks& ranks, bool holds) { return least(ranks, holds ? 1 : 0) == 1; }

}  // namespace graft::inline v1::detail
