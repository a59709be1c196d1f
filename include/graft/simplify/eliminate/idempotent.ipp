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

inline constexpr auto repeated_abs = rule<"repeated-abs">(op<"Abs">(op<"Abs">(x).shared().as(inner)), keep_inner);

inline constexpr auto repeated_relu = rule<"repeated-relu">(op<"Relu">(op<"Relu">(x).shared().as(inner)), keep_inner);

inline constexpr auto repeated_sign = rule<"repeated-sign">(op<"Sign">(op<"Sign">(x).shared().as(inner)), keep_inner);

inline constexpr auto repeated_round = rule<"repeated-round">(
    one_of<"Ceil", "Floor", "Round">(one_of<"Ceil", "Floor", "Round">(x).shared().as(inner)), keep_inner);

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView repeated_abs = vocabulary::repeated_abs.view();

GRAFT_INLINE constinit const RuleView repeated_relu = vocabulary::repeated_relu.view();

GRAFT_INLINE constinit const RuleView repeated_round = vocabulary::repeated_round.view();

GRAFT_INLINE constinit const RuleView repeated_sign = vocabulary::repeated_sign.view();

}  // namespace graft::inline v1
