#pragma once
#include <graft/simplify/eliminate/idempotent.hpp>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/node.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/rewrite/rewriter.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

/// The value of the inner node takes the place of the outer one's.
inline constexpr auto keep_inner = [](const auto& m, Rewriter&) -> Value& { return *m[inner].output(0); };

inline constexpr auto abs_abs = rule<"abs-abs">(op<"Abs">(op<"Abs">(x).shared().as(inner)), keep_inner);

inline constexpr auto relu_relu = rule<"relu-relu">(op<"Relu">(op<"Relu">(x).shared().as(inner)), keep_inner);

inline constexpr auto sign_sign = rule<"sign-sign">(op<"Sign">(op<"Sign">(x).shared().as(inner)), keep_inner);

inline constexpr auto round_round = rule<"round-round">(
    one_of<"Ceil", "Floor", "Round">(one_of<"Ceil", "Floor", "Round">(x).shared().as(inner)), keep_inner);

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView abs_abs = vocabulary::abs_abs.view();

GRAFT_INLINE constinit const RuleView relu_relu = vocabulary::relu_relu.view();

GRAFT_INLINE constinit const RuleView round_round = vocabulary::round_round.view();

GRAFT_INLINE constinit const RuleView sign_sign = vocabulary::sign_sign.view();

}  // namespace graft::inline v1
