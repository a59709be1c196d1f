#pragma once
#include <graft/simplify/rules.hpp>

#include <graft/config.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/eliminate/argmax_of_monotone.hpp>
#include <graft/simplify/eliminate/broadcast_expand.hpp>
#include <graft/simplify/eliminate/cast_cast.hpp>
#include <graft/simplify/eliminate/clip_clip.hpp>
#include <graft/simplify/eliminate/concat_concat.hpp>
#include <graft/simplify/eliminate/concat_empty.hpp>
#include <graft/simplify/eliminate/idempotent.hpp>
#include <graft/simplify/eliminate/no_ops.hpp>
#include <graft/simplify/eliminate/remove_dropout.hpp>
#include <graft/simplify/eliminate/remove_identity.hpp>
#include <graft/simplify/eliminate/reshape_matmul_reshape.hpp>
#include <graft/simplify/eliminate/reshape_reshape.hpp>
#include <graft/simplify/eliminate/slice_slice.hpp>
#include <graft/simplify/eliminate/squeeze_reshape.hpp>
#include <graft/simplify/eliminate/squeeze_squeeze.hpp>
#include <graft/simplify/eliminate/squeeze_unsqueeze.hpp>
#include <graft/simplify/eliminate/transpose_elementwise_transpose.hpp>
#include <graft/simplify/eliminate/transpose_transpose.hpp>
#include <graft/simplify/eliminate/unsqueeze_unsqueeze.hpp>
#include <graft/simplify/eliminate/where_not.hpp>
#include <graft/simplify/fold/cast_constant_of_shape.hpp>
#include <graft/simplify/fold/constant_if.hpp>
#include <graft/simplify/fold/known_choice.hpp>
#include <graft/simplify/fold/known_contents.hpp>
#include <graft/simplify/fold/known_targets.hpp>
#include <graft/simplify/fold/optionals.hpp>
#include <graft/simplify/fold/sequences.hpp>
#include <graft/simplify/fuse/add_before_conv.hpp>
#include <graft/simplify/fuse/add_into_conv_bias.hpp>
#include <graft/simplify/fuse/bn_before_conv.hpp>
#include <graft/simplify/fuse/bn_into_conv.hpp>
#include <graft/simplify/fuse/gelu.hpp>
#include <graft/simplify/fuse/gemm_bias.hpp>
#include <graft/simplify/fuse/hard_swish.hpp>
#include <graft/simplify/fuse/layer_normalization.hpp>
#include <graft/simplify/fuse/log_softmax.hpp>
#include <graft/simplify/fuse/matmul_add_to_gemm.hpp>
#include <graft/simplify/fuse/min_max_to_clip.hpp>
#include <graft/simplify/fuse/mul_before_conv.hpp>
#include <graft/simplify/fuse/mul_into_conv.hpp>
#include <graft/simplify/fuse/mul_past_activation_into_conv.hpp>
#include <graft/simplify/fuse/pad_into_conv.hpp>
#include <graft/simplify/fuse/pad_into_pool.hpp>
#include <graft/simplify/fuse/reduce_unsqueeze.hpp>
#include <graft/simplify/fuse/transpose_into_gemm.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::vector<RuleView> shrinking_rules() {
  return {remove_identity,
          remove_dropout,
          remove_dropout_of_0,
          remove_dropout_with_mask,
          constant_if,
          remove_cast,
          remove_cast_like,
          remove_transpose,
          remove_reshape,
          remove_flatten,
          remove_expand,
          remove_split,
          remove_slice,
          remove_pad,
          remove_concat,
          remove_clip,
          remove_add_0,
          remove_sub_0,
          remove_mul_1,
          remove_div_1,
          remove_and_true,
          remove_or_false,
          remove_shift_0,
          known_contents,
          cast_constant_of_shape,
          cast_cast,
          repeated_abs,
          repeated_relu,
          repeated_round,
          repeated_sign,
          transpose_transpose,
          squeeze_unsqueeze,
          unsqueeze_squeeze,
          transpose_elementwise_transpose,
          reshape_reshape,
          reshape_reshape_copying,
          squeeze_squeeze,
          squeeze_squeeze_all,
          unsqueeze_unsqueeze,
          squeeze_reshape,
          unsqueeze_reshape,
          known_reshaping,
          concat_concat,
          concat_empty,
          slice_slice,
          where_not,
          broadcast_expand,
          bn_into_conv,
          bn_into_matmul,
          add_into_conv_bias,
          add_into_computed_conv_bias,
          mul_into_conv,
          mul_past_relu_into_conv,
          mul_past_clip_into_conv,
          mul_before_conv,
          add_before_conv,
          bn_before_conv,
          pad_into_conv,
          pad_into_average_pool,
          pad_into_max_pool,
          layer_normalization,
          log_softmax,
          reduce_unsqueeze,
          arg_unsqueeze,
          gelu,
          transpose_into_gemm_a,
          transpose_into_gemm_b,
          gemm_bias,
          matmul_add_to_gemm,
          max_0_to_relu,
          max_to_clip,
          min_to_clip,
          clip_clip,
          hard_sigmoid,
          hard_swish,
          hard_swish_by_hard_sigmoid,
          hard_swish_of_hard_sigmoid,
          known_reshape_target,
          known_expand_target,
          known_choice,
          reshape_matmul_reshape,
          element_of_sequence,
          concat_of_sequence,
          length_of_sequence,
          insert_into_empty_sequence,
          insert_into_sequence,
          erase_from_sequence,
          split_to_parts,
          element_of_optional,
          optional_has_element};
}

GRAFT_INLINE Registry<RuleView> simplify_rules() {
  Registry<RuleView> rules("rule");
  for (const RuleView& rule : shrinking_rules()) rules.add(rule);
  for (const RuleView& rule : {argmax_of_monotone, argmax_of_softmax, contrib_gelu, batched_matmul_add_to_gemm,
                               known_shape, known_shape_gather, known_shape_slice}) rules.add(rule);
  return rules;
}

}  // namespace graft::inline v1
