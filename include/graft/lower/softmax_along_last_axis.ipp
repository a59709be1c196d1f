#pragma once
#include <graft/lower/softmax_along_last_axis.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline constexpr auto normalized_axis = attr<"axis", std::int64_t>.named<"normalized_axis">();

/// Counted from 0; the rank where the input has no such axis.
inline std::int64_t from_front(const Value& input, std::int64_t along) {
  const auto rank = static_cast<std::int64_t>(input.shape().rank());
  return along < -rank || along >= rank ? rank : along < 0 ? along + rank : along;
}
inline bool precedes_two_axes(const Value& input, std::int64_t along) {
  return input.shape().known() && from_front(input, along) + 2 < static_cast<std::int64_t>(input.shape().rank());
}
inline constexpr auto is_far_from_last = predicate<precedes_two_axes>("no two axes are known to follow the axis");

inline Ints axis_to_end(const Value& input, std::int64_t along) {
  Ints order(input.shape().rank());
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin() + from_front(input, along), order.begin() + from_front(input, along) + 1, order.end());
  return order;
}
inline Ints axis_from_end(const Value& input, std::int64_t along) {
  Ints order(input.shape().rank());
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin() + from_front(input, along), order.end() - 1, order.end());
  return order;
}

inline constexpr auto softmax_along_last_axis = rule<"softmax-along-last-axis">(
    op<"Softmax">(x).with(normalized_axis).since(13), where(is_far_from_last(x, normalized_axis)),
    op<"Transpose">(op<"Softmax">(op<"Transpose">(x).with(perm = call<axis_to_end>(x, normalized_axis)))
                        .with(normalized_axis = -1))
        .with(perm = call<axis_from_end>(x, normalized_axis)));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView softmax_along_last_axis = vocabulary::softmax_along_last_axis.view();

}  // namespace graft::inline v1
