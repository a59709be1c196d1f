#pragma once
#include <graft/transformer/rules.hpp>

#include <graft/config.hpp>
#include <graft/transformer/fuse/attention.hpp>
#include <graft/transformer/fuse/embed_layer_normalization.hpp>
#include <graft/transformer/fuse/gelu.hpp>
#include <graft/transformer/fuse/heads.hpp>
#include <graft/transformer/fuse/layer_normalization.hpp>
#include <graft/transformer/fuse/normalization_operands.hpp>
#include <graft/transformer/fuse/partial_rotary_embedding.hpp>
#include <graft/transformer/fuse/projections.hpp>
#include <graft/transformer/fuse/rotary_embedding.hpp>
#include <graft/transformer/fuse/scores.hpp>
#include <graft/transformer/fuse/shape.hpp>
#include <graft/transformer/fuse/skip_layer_normalization.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Registry<RuleView> transformer_rules() {
  Registry<RuleView> rules("rule");
  for (const RuleView& rule : {bare_layer_normalization,
                               folded_layer_normalization,
                               bare_simplified_layer_normalization,
                               bare_rms_normalization,
                               rms_to_simplified_layer_normalization,
                               scale_into_normalization,
                               bias_into_layer_normalization,
                               narrow_normalization,
                               extent_of_input,
                               batched_transpose,
                               stacked_projections,
                               masked_windows,
                               merged_heads,
                               products_of_merged_heads,
                               subtracted_mask,
                               scaled_score_bias,
                               hidden_then_masked,
                               repeated_halves,
                               repeated_table,
                               rotary_embedding,
                               interleaved_rotary_embedding,
                               rotary_embedding_of_parts,
                               standard_rotary_embedding,
                               partial_rotary_embedding,
                               attention,
                               biased_attention,
                               capped_attention,
                               standard_attention,
                               expand_attention_mask,
                               heads_into_attention,
                               embed_layer_normalization,
                               skip_layer_normalization,
                               skip_simplified_layer_normalization,
                               skip_root_mean_square,
                               skip_wide_root_mean_square,
                               bias_into_skip_layer_normalization,
                               bias_into_skip_simplified_layer_normalization,
                               fast_gelu,
                               gelu_by_tanh,
                               tanh_gelu_to_fast_gelu,
                               bias_gelu,
                               bias_fast_gelu,
                               quick_gelu,
                               silu_to_quick_gelu})
    rules.add(rule);
  return rules;
}

}  // namespace graft::inline v1
