#pragma once
#include <graft/transformer/fuse/bias_gelu.hpp>

#include <graft/config.hpp>
#include <graft/graph/node.hpp>
#include <graft/pattern/either.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/transformer/detail/captures.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline constexpr auto has_bias = where(is_short, predicate<is_bias_of_rows>("")(x, b));

inline constexpr auto x_and_bias = comm<"Add">(x, b);

inline constexpr auto bias_gelu =
    rule<"bias-gelu">(either(op<"com.microsoft::Gelu">(x_and_bias), op<"Gelu">(x_and_bias).with(approximate == "none")),
                      has_bias, op<"com.microsoft::BiasGelu">(x, b));

inline constexpr auto bias_fast_gelu = rule<"bias-fast-gelu">(
    either(op<"com.microsoft::FastGelu">(x_and_bias), op<"Gelu">(x_and_bias).with(approximate == "tanh")), has_bias,
    op<"com.microsoft::FastGelu">(x, b));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView bias_gelu = vocabulary::bias_gelu.view();

GRAFT_INLINE constinit const RuleView bias_fast_gelu = vocabulary::bias_fast_gelu.view();

}  // namespace graft::inline v1
