#pragma once
#include <graft/pattern/capture.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/query.hpp>
#include <graft/quantize/place/commute_deferred.hpp>

/// The captures of the rules of the commutation.
namespace graft::inline v1::detail::commute {

inline constexpr auto operands = rest<"operands">;
inline constexpr auto more = rest<"more">;
inline constexpr auto where_to = rest<"where_to">;
inline constexpr auto q = val<"q">;
inline constexpr auto s = cst<"s">;
inline constexpr auto z = cst<"z">;
inline constexpr auto s1 = cst<"s1">;
inline constexpr auto z1 = cst<"z1">;
inline constexpr auto s2 = cst<"s2">;
inline constexpr auto z2 = cst<"z2">;

inline constexpr auto before = node<"before">;
inline constexpr auto act = node<"act">;
inline constexpr auto move = node<"move">;
inline constexpr auto clip = node<"clip">;
inline constexpr auto dq = node<"dq">;
inline constexpr auto q1 = node<"q1">;
inline constexpr auto dq1 = node<"dq1">;
inline constexpr auto q2 = node<"q2">;

using graft::commute::target;

/// Two pairs, one on each side of an activation.
inline constexpr auto quantized_twice =
    op<"QuantizeLinear">(
        any_op(op<"DequantizeLinear">(op<"QuantizeLinear">(any_op(operands).as(before), s1, z1).as(q1), s1, z1)
                   .as(dq1),
               more)
            .as(act),
        s2, z2)
        .as(q2);

/// Where commute-dq-past-activation may apply after it has applied to the nodes in front.
inline constexpr auto two_pairs = query<"two_pairs">(quantized_twice);

}  // namespace graft::inline v1::detail::commute
