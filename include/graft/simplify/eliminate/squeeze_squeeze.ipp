#pragma once
#include <graft/simplify/eliminate/squeeze_squeeze.hpp>

#include <algorithm>
#include <optional>

#include <graft/config.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/opt.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

GRAFT_INLINE std::int64_t nth_free(std::int64_t i, const Ints& taken) {
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

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView squeeze_squeeze = vocabulary::squeeze_squeeze.view();

GRAFT_INLINE constinit const RuleView squeeze_squeeze_all = vocabulary::squeeze_squeeze_all.view();

}  // namespace graft::inline v1
