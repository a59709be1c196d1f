#pragma once
#include <graft/simplify/rules.hpp>

#include <graft/config.hpp>
#include <graft/rewrite/rule.hpp>
#include <graft/simplify/activation.hpp>
#include <graft/simplify/broadcast.hpp>
#include <graft/simplify/cast.hpp>
#include <graft/simplify/clip.hpp>
#include <graft/simplify/concat.hpp>
#include <graft/simplify/control_flow.hpp>
#include <graft/simplify/conv.hpp>
#include <graft/simplify/conv_epilogue.hpp>
#include <graft/simplify/gemm.hpp>
#include <graft/simplify/identity.hpp>
#include <graft/simplify/known_contents.hpp>
#include <graft/simplify/matmul.hpp>
#include <graft/simplify/no_op.hpp>
#include <graft/simplify/normalization.hpp>
#include <graft/simplify/pool.hpp>
#include <graft/simplify/reduce.hpp>
#include <graft/simplify/reshape.hpp>
#include <graft/simplify/sequence.hpp>
#include <graft/simplify/slice.hpp>
#include <graft/simplify/squeeze.hpp>
#include <graft/simplify/transpose.hpp>
#include <graft/simplify/where.hpp>

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
                               known_shape, known_shape_gather, known_shape_slice})
    rules.add(rule);
  return rules;
}

}  // namespace graft::inline v1
