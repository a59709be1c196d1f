#pragma once
#include <algorithm>
#include <cstdint>

#include <graft/rewrite/rule.hpp>
#include <graft/simplify/detail/captures.hpp>
#include <graft/simplify/squeeze_squeeze.hpp>

// Before:  Unsqueeze(Unsqueeze(x, p), q)   axes as an attribute (before opset 13) or a constant input
// After:   Unsqueeze(x, r)                 r: q, and where the axes p come to lie
//
// The inner Unsqueeze may have other users.

namespace graft::inline v1 {
namespace detail::simplification {

inline Ints unsqueezed_axes(const Ints& first, const Ints& second) {
  Ints all = second;
  for (const std::int64_t which : first) all.push_back(nth_free(which, second));
  std::sort(all.begin(), all.end());
  return all;
}

inline constexpr auto unsqueeze_unsqueeze =
    rule<"unsqueeze-unsqueeze">(op<"Unsqueeze">(op<"Unsqueeze">(x).with(inner_axes).shared()).with(axes).as(outer),
                                outer(x).with(axes = call<unsqueezed_axes>(inner_axes, axes)));

}  // namespace detail::simplification

using detail::simplification::unsqueeze_unsqueeze;

}  // namespace graft::inline v1
