#pragma once
#include <graft/lower/hard_sigmoid_to_clip.hpp>

#include <cstddef>

#include <graft/config.hpp>
#include <graft/graph/made_by.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/pattern/attr.hpp>
#include <graft/pattern/capture.hpp>
#include <graft/pattern/constants.hpp>
#include <graft/pattern/operator.hpp>
#include <graft/pattern/where.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/fuse/hard_swish.hpp>
#include <graft/vocabulary/captures.hpp>
#include <graft/vocabulary/clips.hpp>
#include <graft/vocabulary/near_conv.hpp>

namespace graft::inline v1 {

namespace vocabulary {

/// Weights that a caller may override take no factor.
inline bool is_over_constants(const Node& product) {
  for (std::size_t i = 1; i < product.input_count(); ++i)
    if (product.input(i) != nullptr && !product.input(i)->is_constant()) return false;
  return product.input_count() > 1;
}

inline Verdict takes_factor(const Value& input, const Node& activation) {
  const Node* const maker = made_by(input, "Conv", 0);
  if (maker != nullptr && input.use_count() == 1 && is_over_constants(*maker)) return Verdict::yes();
  return takes_depthwise_conv(input, *activation.output(0));
}

inline constexpr auto has_conv_for_factor = predicate<takes_factor>("");

/// x is read twice then, so that no Conv in front can take the factor.
inline Verdict takes_own_factor(const Value& input, const Node& activation) {
  return takes_depthwise_conv(input, *activation.output(0));
}

inline constexpr auto takes_its_own_conv = predicate<takes_own_factor>("");

inline constexpr auto hard_sigmoid_to_clip = rule<"hard-sigmoid-to-clip">(
    op<"HardSigmoid">(single).with(alpha, beta).as(outer).since(7), where(has_conv_for_factor(x, outer)),
    op<"Clip">(op<"Add">(op<"Mul">(x, scalar(alpha).like(x)), scalar(beta).like(x)))
        .with(clip_min = 0.0F, clip_max = 1.0F));

inline constexpr auto hard_swish_to_hard_sigmoid =
    rule<"hard-swish-to-hard-sigmoid">(op<"HardSwish">(single).as(outer), where(takes_its_own_conv(x, outer)),
                                       op<"Mul">(x, hard_sigmoid_of_x));

}  // namespace vocabulary

GRAFT_INLINE constinit const RuleView hard_sigmoid_to_clip = vocabulary::hard_sigmoid_to_clip.view();

GRAFT_INLINE constinit const RuleView hard_swish_to_hard_sigmoid = vocabulary::hard_swish_to_hard_sigmoid.view();

}  // namespace graft::inline v1
