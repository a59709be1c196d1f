#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <graft/evaluate/parallel.hpp>
#include <graft/graph/error.hpp>
#include <graft/quantize/weights/ranks.hpp>

namespace graft::inline v1::detail {

/// The bytes of make(i), or the text of the Error that it throws. The last byte says which.
template <class Make>
std::string made_bytes(const Make& make, std::size_t i) {
  try {
    return to_bytes(make(i)) + '+';
  } catch (const Error& error) {
    return std::string(error.what()) + '-';
  }
}

/// Calls take(i, make(i)) for i from 0 to count - 1, in this order. Ranks share the calls of make(): rank r makes parts
/// r, r + ranks.count and so on. All ranks take the same, and must call it equally often. to_bytes() and from_bytes()
/// carry a part to the others. If make() throws Error on a rank, all ranks throw it.
template <class Make, class Take>
void share_parts(const Ranks& ranks, std::size_t count, const Make& make, const Take& take) {
  if (ranks.count < 2) {
    for (std::size_t i = 0; i < count; ++i) take(i, make(i));
    return;
  }
  for (std::size_t first = 0; first < count; first += ranks.count) {
    const std::size_t own = first + ranks.rank, parts = std::min(ranks.count, count - first);
    std::vector<std::string> all = ranks.exchange(own < count ? made_bytes(make, own) : std::string());
    for (std::size_t i = 0; i < parts; ++i) {
      if (all[i].empty()) throw Error("the message of another rank cannot be read");
      const bool is_made = all[i].back() == '+';
      all[i].pop_back();
      if (!is_made) throw Error(std::move(all[i]));
      decltype(make(own)) part;
      from_bytes(all[i], part);
      take(first + i, std::move(part));
    }
  }
}

/// f(0) to f(count - 1), whose bits do not depend on who calls it: ranks share the calls as in share_parts(), and run
/// their own on threads.
template <class F>
auto shared_parts(const Ranks& ranks, const ParallelFor* parallel, std::size_t count, const F& f) {
  std::vector<decltype(f(count))> all(count);
  const auto make = [&](std::size_t i) {
    const std::size_t own = (count - i + ranks.count - 1) / ranks.count;
    if (i == ranks.rank)  // the first of this rank
      for_each_part(parallel, static_cast<std::int64_t>(own), [&](std::int64_t part) {
        const std::size_t at = i + static_cast<std::size_t>(part) * ranks.count;
        all[at] = f(at);
      });
    return std::move(all[i]);
  };
  share_parts(ranks, count, make, [&](std::size_t i, auto part) { all[i] = std::move(part); });
  return all;
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
