#pragma once
#include <graft/simplify/rules.hpp>

#include <graft/config.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/activation_before_max_pool.hpp>
#include <graft/simplify/activation_before_movement.hpp>
#include <graft/simplify/add_before_conv.hpp>
#include <graft/simplify/add_into_conv_bias.hpp>
#include <graft/simplify/added_convs_to_conv.hpp>
#include <graft/simplify/bn_before_conv.hpp>
#include <graft/simplify/bn_into_conv.hpp>
#include <graft/simplify/bn_to_depthwise_conv.hpp>
#include <graft/simplify/channels_to_depthwise_conv.hpp>
#include <graft/simplify/clip_clip.hpp>
#include <graft/simplify/concat_concat.hpp>
#include <graft/simplify/constant_if.hpp>
#include <graft/simplify/gelu.hpp>
#include <graft/simplify/gemm_bias.hpp>
#include <graft/simplify/hard_sigmoid_to_clip.hpp>
#include <graft/simplify/hard_swish.hpp>
#include <graft/simplify/image_conv_to_depth.hpp>
#include <graft/simplify/known_contents.hpp>
#include <graft/simplify/layer_normalization.hpp>
#include <graft/simplify/matmul_add_to_gemm.hpp>
#include <graft/simplify/min_max_to_clip.hpp>
#include <graft/simplify/mul_before_conv.hpp>
#include <graft/simplify/mul_into_conv.hpp>
#include <graft/simplify/mul_past_activation_into_conv.hpp>
#include <graft/simplify/no_ops.hpp>
#include <graft/simplify/pad_into_conv.hpp>
#include <graft/simplify/reduce_mean_to_global_average_pool.hpp>
#include <graft/simplify/remove_dropout.hpp>
#include <graft/simplify/remove_identity.hpp>
#include <graft/simplify/reshape_reshape.hpp>
#include <graft/simplify/slice_slice.hpp>
#include <graft/simplify/squeeze_squeeze.hpp>
#include <graft/simplify/transpose_elementwise_transpose.hpp>
#include <graft/simplify/transpose_transpose.hpp>
#include <graft/simplify/unsqueeze_unsqueeze.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::vector<RuleView> shrinking_rules() {
  return {remove_identity.view(),                 remove_dropout.view(),      constant_if.view(),
          remove_cast.view(),                     remove_cast_like.view(),    remove_transpose.view(),
          remove_reshape.view(),                  remove_expand.view(),       remove_split.view(),
          remove_slice.view(),                    remove_pad.view(),          remove_concat.view(),
          remove_add_0.view(),                    remove_sub_0.view(),        remove_mul_1.view(),
          remove_div_1.view(),                    known_contents.view(),      transpose_transpose.view(),
          transpose_elementwise_transpose.view(), reshape_reshape.view(),     reshape_reshape_copying.view(),
          squeeze_squeeze.view(),                 squeeze_squeeze_all.view(), unsqueeze_unsqueeze.view(),
          concat_concat.view(),                   slice_slice.view(),         bn_into_conv.view(),
          add_into_conv_bias.view(),              mul_into_conv.view(),       mul_past_relu_into_conv.view(),
          mul_past_clip_into_conv.view(),         mul_before_conv.view(),     add_before_conv.view(),
          bn_before_conv.view(),                  pad_into_conv.view(),       layer_normalization.view(),
          gelu.view(),                            gemm_bias.view(),           matmul_add_to_gemm.view(),
          max_0_to_relu.view(),                   max_to_clip.view(),         min_to_clip.view(),
          clip_clip.view(),                       hard_sigmoid.view(),        hard_swish.view(),
          hard_swish_by_hard_sigmoid.view(),      hard_swish_of_hard_sigmoid.view()};
}

GRAFT_INLINE Registry<RuleView> simplify_rules() {
  Registry<RuleView> rules("rule");
  for (const RuleView& rule : shrinking_rules()) rules.add(rule);
  for (const RuleView& rule :
       {bn_to_depthwise_conv.view(), contrib_gelu.view(), mul_to_depthwise_conv.view(), add_to_depthwise_conv.view(),
        reduce_mean_to_global_average_pool.view(), reduce_mean_to_flat_average.view(),
        activation_before_movement.view(), activation_before_max_pool.view(), hard_sigmoid_to_clip.view(),
        hard_swish_to_hard_sigmoid.view(), batched_matmul_add_to_gemm.view(), image_conv_to_depth.view(),
        added_convs_to_conv.view(), conv_and_strided_to_conv.view(), strided_and_conv_to_conv.view()})
    rules.add(rule);
  return rules;
}

}  // namespace graft::inline v1
