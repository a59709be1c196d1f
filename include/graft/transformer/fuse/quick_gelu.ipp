#pragma once
#include <graft/transformer/fuse/quick_gelu.hpp>

#include <optional>

#include <graft/config.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/call.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/leaf.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/fuse/hard_swish.hpp>
#include <graft/simplify/fuse/layer_normalization.hpp>
#include <graft/transformer/detail/captures.hpp>
#include <graft/vocabulary/captures.hpp>

namespace graft::inline v1 {

namespace vocabulary {

inline constexpr auto slope = cst<"slope">.scalar();

inline bool keeps_rank_of(const Value& input, const Tensor& factor) { return adds_no_axis(input, factor); }

inline constexpr auto quick_gelu =
    rule<"quick-gelu">(comm<"Mul">(x, op<"Sigmoid">(comm<"Mul">(x, slope))),
                       where(is_short, predicate<keeps_rank_of>("a constant may raise the rank")(x, slope)),
                       op<"com.microsoft::QuickGelu">(x).with(alpha = call<as_float>(slope)));

inline constexpr auto silu_to_quick_gelu = rule<"silu-to-quick-gelu">(
    comm<"Mul">(x, op<"Sigmoid">(x)), where(is_short), op<"com.microsoft::QuickGelu">(x).with(alpha = 1.0F));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView quick_gelu = vocabulary::quick_gelu.view();

GRAFT_INLINE constinit const RuleView silu_to_quick_gelu = vocabulary::silu_to_quick_gelu.view();

}  // namespace graft::inline v1
