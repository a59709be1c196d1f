#pragma once
#include <graft/lower/softmax.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include <graft/config.hpp>
#include <graft/graph/attribute_proto.hpp>
#include <graft/graph/infer/dim.hpp>
#include <graft/graph/shape.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {
namespace rules {

inline constexpr auto normalized_axis = attr<"axis", std::int64_t>.named<"normalized_axis">();

inline bool precedes_two_axes(const Value& input, std::int64_t along) {
  const std::size_t rank = input.shape().rank();
  const auto place = infer::normalized(along, rank);
  return input.shape().known() && place && *place + 2 < rank;
}
inline constexpr auto is_far_from_last = predicate<precedes_two_axes>("no two axes are known to follow the axis");

inline Ints axis_to_end(const Value& input, std::int64_t along) {
  Ints order(input.shape().rank());
  std::iota(order.begin(), order.end(), 0);
  const auto place = order.begin() + static_cast<std::ptrdiff_t>(infer::normalized(along, order.size()).value());
  std::rotate(place, place + 1, order.end());
  return order;
}
inline Ints axis_from_end(const Value& input, std::int64_t along) {
  Ints order(input.shape().rank());
  std::iota(order.begin(), order.end(), 0);
  const auto place = order.begin() + static_cast<std::ptrdiff_t>(infer::normalized(along, order.size()).value());
  std::rotate(place, order.end() - 1, order.end());
  return order;
}

inline constexpr auto softmax_along_last_axis = rule<"softmax-along-last-axis">(
    op<"Softmax">(x).with(normalized_axis).since(13), where(is_far_from_last(x, normalized_axis)),
    op<"Transpose">(
        op<"Softmax">(op<"Transpose">(x).with(perm = call<axis_to_end>(x, normalized_axis))).with(normalized_axis = -1))
        .with(perm = call<axis_from_end>(x, normalized_axis)));

}  // namespace rules

GRAFT_INLINE constinit const RuleView softmax_along_last_axis = rules::softmax_along_last_axis.view();

}  // namespace graft::inline v1
