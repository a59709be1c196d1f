#pragma once
#include <graft/surgery/detail/surgeon_table.hpp>

#include <vector>

#include <graft/config.hpp>
#include <graft/lower/activation.hpp>
#include <graft/lower/attention_mask.hpp>
#include <graft/lower/conv.hpp>
#include <graft/lower/div.hpp>
#include <graft/lower/gemm.hpp>
#include <graft/lower/packed_attention.hpp>
#include <graft/lower/reduce.hpp>
#include <graft/lower/rms_normalization.hpp>
#include <graft/lower/rotary_embedding.hpp>
#include <graft/qdq/gather_to_block_quantized.hpp>
#include <graft/qdq/qdq_to_clip.hpp>
#include <graft/qdq/strip_qdq.hpp>
#include <graft/rewrite/intent.hpp>
#include <graft/simplify/common_subexpressions.hpp>
#include <graft/surgery/deduplicate_subgraph_initializers.hpp>
#include <graft/surgery/tied_weights.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE std::vector<Surgeon> operator_surgeons() {
  using Arguments = const SurgeonArguments&;
  constexpr auto number = ParameterKind::number, flag = ParameterKind::flag;
  constexpr Intent rounding{.values = "rounding"};
  return {
      {"AttentionMaskToSequenceLengths",
       "makes sequence lengths inputs of GroupQueryAttention, instead of a mask",
       {},
       {.signature = true},
       [](Arguments) { return attention_masks_to_sequence_lengths(); }},
      {"DecomposeQuickGelu",
       "replaces QuickGelu by Mul and Sigmoid",
       {},
       rounding,
       [](Arguments) { return decompose_quick_gelus(); }},
      {"DecomposeRotaryEmbedding",
       "replaces RotaryEmbedding by standard operators",
       {},
       rounding,
       [](Arguments) { return decompose_rotary_embeddings(); }},
      {"DeduplicateNodes",
       "merges nodes that compute the same, and equal initializers",
       {},
       {},
       [](Arguments) { return eliminate_common_subexpressions(); }},
      {"DeduplicateSubgraphInitializers",
       "merges equal initializers of bodies and of scopes around them",
       {},
       {},
       [](Arguments) { return deduplicate_subgraph_initializers(); }},
      {"GemmToMatMulAdd",
       "replaces Gemm by MatMul and Add",
       {},
       rounding,
       [](Arguments) { return gemms_to_matmul_adds(); }},
      {"MatMulAddToGemm",
       "replaces MatMul and Add by Gemm, with Reshapes where the rank is not 2",
       {},
       {},
       [](Arguments) { return matmul_adds_to_gemms(); }},
      {"PackedAttentionToLoopMHA",
       "replaces PackedAttention by a Loop of MultiHeadAttention",
       {},
       rounding,
       [](Arguments) { return packed_attentions_to_loops(); }},
      {"PackedAttentionToPackedMHA",
       "replaces PackedAttention by PackedMultiHeadAttention",
       {},
       rounding,
       [](Arguments) { return packed_attentions_to_packed_mhas(); }},
      {"PowReduceSumPowDiv2LpNorm",
       "replaces x / Sqrt(ReduceSum(x^2)) by LpNormalization",
       {},
       {.values = "rows of zeros stay zeros"},
       [](Arguments) { return pow_reduce_sums_to_lp_norms(); }},
      {"QDQToClip",
       "replaces QuantizeLinear and DequantizeLinear by Clip",
       {},
       {.values = "no rounding to steps of scale"},
       [](Arguments) { return qdq_to_clips(); }},
      {"QuantizeEmbeddingInt8",
       "stores tables that Gather reads in 8 bits, with a scale for each block",
       {},
       {.values = "a step of the scale of a block"},
       [](Arguments) { return gathers_to_block_quantized(); }},
      {"ReciprocalMulToDiv",
       "replaces Mul and Reciprocal by Div",
       {},
       rounding,
       [](Arguments) { return reciprocal_muls_to_divs(); }},
      {"RemoveDeqLin",
       "replaces dequantized constants by float ones",
       {},
       {},
       [](Arguments) { return remove_dequantized_constants(); }},
      {"RemoveGidxFromMatMulNBits",
       "removes group indices of MatMulNBits that equal the default",
       {},
       {},
       [](Arguments) { return drop_group_indices(); }},
      {"RemoveQDQ",
       "removes pairs of QuantizeLinear and DequantizeLinear",
       {{"keep_clip_after_inputs", flag, false, false}},
       {.values = "no rounding to steps of scale"},
       [](Arguments arguments) { return remove_qdq(given<bool>(arguments, "keep_clip_after_inputs")); }},
      {"RemoveRopeMultiCache",
       "keeps one of two caches of rotary embeddings",
       {{"use_large_cache", flag, false, false}},
       {.values = "the other cache is lost"},
       [](Arguments arguments) { return single_rope_caches(given<bool>(arguments, "use_large_cache")); }},
      {"ReplaceAttentionMaskValue",
       "replaces the lowest numbers in masks",
       {{"threshold", number, false, -3e30}, {"replacement", number, false, -1e4}},
       {.values = "of masks"},
       [](Arguments arguments) {
         return replace_attention_mask_values(given_float(arguments, "threshold"),
                                              given_float(arguments, "replacement"));
       }},
      {"ReplaceErfWithTanh",
       "replaces Erf by Tanh",
       {},
       {.values = "less than 0.02"},
       [](Arguments) { return erfs_to_tanhs(); }},
      {"RMSNormToL2Norm",
       "replaces an RMS normalization by LpNormalization",
       {},
       {.values = "epsilon is omitted"},
       [](Arguments) { return rms_norms_to_l2_norms(); }},
      {"ShareEmbeddingLmHead",
       "makes the last product multiply by the table of embeddings in 8 bits",
       {},
       {.values = "the weight is rounded in another way"},
       [](Arguments) { return share_embedding_lm_head(); }},
      {"SimplifiedLayerNormToL2Norm",
       "replaces SimplifiedLayerNormalization by LpNormalization",
       {},
       {.values = "epsilon is omitted"},
       [](Arguments) { return simplified_layer_norms_to_l2_norms(); }},
      {"SimplifiedLayerNormToRMSNorm",
       "replaces SimplifiedLayerNormalization by standard operators",
       {},
       rounding,
       [](Arguments) { return simplified_layer_norms_to_rms_norms(); }},
      {"TieWordEmbeddings",
       "stores a table of embeddings once that is the weight of a product, too",
       {},
       rounding,
       [](Arguments) { return tie_word_embeddings(); }},
  };
}

}  // namespace graft::inline v1::detail
