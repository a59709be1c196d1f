#pragma once
#include <graft/lower/rules.hpp>

#include <graft/config.hpp>
#include <graft/lower/activation_before_max_pool.hpp>
#include <graft/lower/activation_before_movement.hpp>
#include <graft/lower/added_convs_to_conv.hpp>
#include <graft/lower/average_pool_to_depthwise_conv.hpp>
#include <graft/lower/bn_to_depthwise_conv.hpp>
#include <graft/lower/channels_to_depthwise_conv.hpp>
#include <graft/lower/hard_sigmoid_to_clip.hpp>
#include <graft/lower/image_conv_to_depth.hpp>
#include <graft/lower/reduce_mean_to_global_average_pool.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Registry<RuleView> lower_rules() {
  Registry<RuleView> rules("rule");
  for (const RuleView& rule :
       {bn_to_depthwise_conv, mul_to_depthwise_conv, add_to_depthwise_conv, reduce_mean_to_global_average_pool,
        reduce_mean_to_flat_average, activation_before_movement, activation_before_max_pool, hard_sigmoid_to_clip,
        hard_swish_to_hard_sigmoid, image_conv_to_depth, added_convs_to_conv, conv_and_strided_to_conv,
        strided_and_conv_to_conv, average_pool_to_depthwise_conv})
    rules.add(rule);
  return rules;
}

}  // namespace graft::inline v1
