#pragma once
#include <graft/lower/rules.hpp>

#include <graft/config.hpp>
#include <graft/lower/activation_before_max_pool.hpp>
#include <graft/lower/activation_before_movement.hpp>
#include <graft/lower/added_convs_to_conv.hpp>
#include <graft/lower/average_pool_to_depthwise_conv.hpp>
#include <graft/lower/batched_matmul_add_relu_to_gemm.hpp>
#include <graft/lower/bn_to_depthwise_conv.hpp>
#include <graft/lower/channels_to_depthwise_conv.hpp>
#include <graft/lower/decompose_attention.hpp>
#include <graft/lower/decompose_embed_layer_normalization.hpp>
#include <graft/lower/decompose_fused_conv.hpp>
#include <graft/lower/decompose_fused_gemm.hpp>
#include <graft/lower/decompose_fused_matmul.hpp>
#include <graft/lower/decompose_gelu.hpp>
#include <graft/lower/decompose_layer_normalization.hpp>
#include <graft/lower/decompose_rotary_embedding.hpp>
#include <graft/lower/drop_group_index.hpp>
#include <graft/lower/einsum_to_matmul.hpp>
#include <graft/lower/erf_to_tanh.hpp>
#include <graft/lower/gemm_alpha_into_weight.hpp>
#include <graft/lower/gemm_to_matmul_add.hpp>
#include <graft/lower/hard_sigmoid_to_clip.hpp>
#include <graft/lower/image_conv_to_depth.hpp>
#include <graft/lower/packed_attention_to_loop.hpp>
#include <graft/lower/packed_attention_to_packed_mha.hpp>
#include <graft/lower/pow_reduce_sum_to_lp_norm.hpp>
#include <graft/lower/quick_gelu_to_sigmoid.hpp>
#include <graft/lower/reciprocal_mul_to_div.hpp>
#include <graft/lower/reduce_mean_to_global_average_pool.hpp>
#include <graft/lower/rms_norm_to_l2_norm.hpp>
#include <graft/lower/simplified_layer_norm_to_l2_norm.hpp>
#include <graft/lower/simplified_layer_norm_to_rms_norm.hpp>
#include <graft/lower/single_rope_cache.hpp>
#include <graft/lower/softmax_along_last_axis.hpp>
#include <graft/lower/standard_rms_norm.hpp>

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
                               softmax_along_last_axis,
                               packed_attention_to_loop,
                               packed_attention_to_packed_mha})
    rules.add(rule);
  return rules;
}

}  // namespace graft::inline v1
