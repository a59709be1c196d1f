#pragma once
// Before: Conv -> Q(s1, z1) -> DQ(s1, z1) -> f -> Q(s2, z2) -> DQ(s2, z2)
// After:  Conv -> f -> Q(s2, z2) -> DQ(s2, z2)
// if the target computes Conv in integers and fuses f in front of Q(s2, z2), and nobody else reads what lies between.
#include <cmath>
#include <cstdint>
#include <optional>

#include <graft/pattern.hpp>
#include <graft/quantize/activation.hpp>
#include <graft/quantize/deferral.hpp>
#include <graft/quantize/qdq.hpp>
#include <graft/quantize/quantizable.hpp>
#include <graft/quantize/target.hpp>
#include <graft/rewrite/rule.hpp>

namespace graft::inline v1::commute {

inline constexpr auto operands = rest<"operands">;
inline constexpr auto more = rest<"more">;
inline constexpr auto s1 = cst<"s1">;
inline constexpr auto z1 = cst<"z1">;
inline constexpr auto s2 = cst<"s2">;
inline constexpr auto z2 = cst<"z2">;
inline constexpr auto kernel = node<"kernel">;
inline constexpr auto act = node<"act">;
inline constexpr auto q1 = node<"q1">;
inline constexpr auto q2 = node<"q2">;
inline constexpr auto dq2 = node<"dq2">;
inline constexpr auto target = arg<"target", Target>;

inline bool is_kernel(const Node& node, const Target& runtime) { return integer_kernel(node, runtime) != nullptr; }

inline Verdict is_deferred(const Node& activation, const Node& quantizer, const Target& runtime) {
  const std::optional<QParams> params = qparams_of(quantizer);
  return params ? deferrable(activation, *params, runtime)
                : Verdict::no("the q-params behind it are not those of a whole tensor");
}

inline constexpr auto quantized_twice =
    op<"DequantizeLinear">(
        op<"QuantizeLinear">(
            any_op(op<"DequantizeLinear">(op<"QuantizeLinear">(any_op(operands).as(kernel), s1, z1).as(q1), s1, z1),
                   more)
                .as(act),
            s2, z2)
            .as(q2),
        s2, z2)
        .as(dq2);

inline constexpr auto fuses = where(predicate<is_kernel>("the target has no integer kernel for it")(kernel, target),
                                    predicate<is_deferred>("the target does not defer it")(act, q2, target));

inline constexpr auto past_deferred =
    rule<"commute-dq-past-activation">(quantized_twice, fuses, dq2(q2(act(kernel(operands), more), s2, z2), s2, z2))
        .changes_values("what quantizing in front of the activation does");

/// What the rule is about to do, for its bound.
inline constexpr auto deferred = query<"deferred">(quantized_twice, fuses);

/// By how many steps of the scale behind an activation a value moves, at most, when the pair in front of it goes. That
/// pair moves a value of its range by half a step of its own; the activation makes that `slope` times as much; rounding
/// to steps may add one. (Values beyond its range were clipped, and are no longer.) Infinite for an infinite slope.
inline double moved_steps(const QParams& before, const QParams& behind, float slope) {
  return std::floor(static_cast<double>(slope) * before.scale / (2 * static_cast<double>(behind.scale))) + 1;
}

}  // namespace graft::inline v1::commute
