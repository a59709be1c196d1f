#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>

#include <graft/rewrite/rule.hpp>
#include <graft/simplify/detail/captures.hpp>

// Before:  Squeeze(Squeeze(x, p), q)     axes as an attribute (before opset 13) or a constant input
// After:   Squeeze(x, r)                 r: p, and the axes of x that q means
//
// Before:  Squeeze(Squeeze(x, p?))       the outer one takes all axes of extent 1
// After:   Squeeze(x)
//
// The inner Squeeze may have other users. An empty list of axes is declined: runtimes disagree about it.

namespace graft::inline v1 {
namespace detail::simplification {

/// The i-th non-negative integer that is not among `taken`.
inline std::int64_t nth_free(std::int64_t i, const Ints& taken) {
  Ints sorted = taken;
  std::sort(sorted.begin(), sorted.end());
  for (const std::int64_t other : sorted) i += other <= i ? 1 : 0;
  return i;
}

inline std::optional<Ints> squeezed_axes(const Ints& first, const Ints& second) {
  if (first.empty() || second.empty()) return std::nullopt;
  Ints all = first;
  for (const std::int64_t which : second) all.push_back(nth_free(which, first));
  std::sort(all.begin(), all.end());
  return all;
}

inline constexpr auto squeeze_squeeze =
    rule<"squeeze-squeeze">(op<"Squeeze">(op<"Squeeze">(x).with(inner_axes).shared()).with(axes).as(outer),
                            outer(x).with(axes = call<squeezed_axes>(inner_axes, axes)));

inline constexpr auto squeeze_squeeze_all = rule<"squeeze-squeeze-all">(
    op<"Squeeze">(op<"Squeeze">(x, rest<>).with(opt(attr<"axes", Ints>)).shared()), op<"Squeeze">(x));

}  // namespace detail::simplification

using detail::simplification::squeeze_squeeze;
using detail::simplification::squeeze_squeeze_all;

}  // namespace graft::inline v1
