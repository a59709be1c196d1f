#pragma once
#include <graft/simplify/eliminate/unsqueeze_unsqueeze.hpp>

#include <algorithm>
#include <cstdint>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/eliminate/squeeze_squeeze.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline Ints unsqueezed_axes(const Ints& first, const Ints& second) {
  Ints all = second;
  for (const std::int64_t which : first) all.push_back(nth_free(which, second));
  std::sort(all.begin(), all.end());
  return all;
}

inline constexpr auto unsqueeze_unsqueeze =
    rule<"unsqueeze-unsqueeze">(op<"Unsqueeze">(op<"Unsqueeze">(x).with(inner_axes).shared()).with(axes).as(outer),
                                outer(x).with(axes = call<unsqueezed_axes>(inner_axes, axes)));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView unsqueeze_unsqueeze = vocabulary::unsqueeze_unsqueeze.view();

}  // namespace graft::inline v1
