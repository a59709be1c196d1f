#pragma once
#include <graft/lower/rules.hpp>

#include <graft/config.hpp>
#include <graft/lower/activation.hpp>
#include <graft/lower/activation_order.hpp>
#include <graft/lower/attention.hpp>
#include <graft/lower/conv.hpp>
#include <graft/lower/depthwise_conv.hpp>
#include <graft/lower/div.hpp>
#include <graft/lower/einsum.hpp>
#include <graft/lower/fused_operators.hpp>
#include <graft/lower/gemm.hpp>
#include <graft/lower/image_conv.hpp>
#include <graft/lower/layer_normalization.hpp>
#include <graft/lower/packed_attention.hpp>
#include <graft/lower/reduce.hpp>
#include <graft/lower/rms_normalization.hpp>
#include <graft/lower/rotary_embedding.hpp>
#include <graft/lower/score_factor.hpp>
#include <graft/lower/softmax.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Registry<RuleView> lower_rules() {
  Registry<RuleView> rules("rule");
  for (const RuleView& rule : {bn_to_depthwise_conv,
                               mul_to_depthwise_conv,
                               add_to_depthwise_conv,
                               reduce_mean_to_global_average_pool,
                               reduce_mean_to_flat_average,
                               activation_before_movement,
                               activation_before_max_pool,
                               hard_sigmoid_to_clip,
                               hard_swish_to_hard_sigmoid,
                               image_conv_to_depth,
                               added_convs_to_conv,
                               conv_and_strided_to_conv,
                               strided_and_conv_to_conv,
                               average_pool_to_depthwise_conv,
                               erf_to_tanh,
                               quick_gelu_to_sigmoid,
                               decompose_attention,
                               decompose_contrib_attention,
                               decompose_multi_head_attention,
                               decompose_group_query_attention,
                               decompose_gelu,
                               decompose_tanh_gelu,
                               decompose_layer_normalization,
                               decompose_skip_layer_normalization,
                               decompose_embed_layer_normalization,
                               decompose_rotary_embedding,
                               decompose_fused_matmul,
                               decompose_fused_conv,
                               decompose_fused_gemm,
                               rms_norm_to_l2_norm,
                               simplified_layer_norm_to_l2_norm,
                               skip_simplified_layer_norm_to_l2_norm,
                               simplified_layer_norm_to_rms_norm,
                               skip_simplified_layer_norm_to_rms_norm,
                               standard_rms_norm,
                               pow_reduce_sum_to_lp_norm,
                               batched_matmul_add_relu_to_gemm,
                               gemm_alpha_into_weight,
                               gemm_to_matmul_add,
                               reshaped_gemm_to_matmul_add,
                               reciprocal_mul_to_div,
                               einsum_to_matmul,
                               einsum_to_transpose,
                               drop_group_index,
                               single_rope_cache,
                               score_mul_to_query,
                               score_div_to_query,
                               softmax_along_last_axis,
                               packed_attention_to_loop,
                               packed_attention_to_packed_mha})
    rules.add(rule);
  return rules;
}

}  // namespace graft::inline v1
