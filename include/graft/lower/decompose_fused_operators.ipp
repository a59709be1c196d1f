#pragma once
#include <graft/lower/decompose_fused_operators.hpp>

#include <graft/config.hpp>
#include <graft/lower/decompose_attention.hpp>
#include <graft/lower/decompose_embed_layer_normalization.hpp>
#include <graft/lower/decompose_gelu.hpp>
#include <graft/lower/decompose_layer_normalization.hpp>
#include <graft/lower/decompose_rotary_embedding.hpp>
#include <graft/lower/quick_gelu_to_sigmoid.hpp>
#include <graft/lower/simplified_layer_norm_to_rms_norm.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

GRAFT_INLINE Pass decompose_fused_operators() {
  return (decompose_attentions() | decompose_embed_layer_normalizations() | decompose_layer_normalizations() |
          simplified_layer_norms_to_rms_norms() | decompose_gelus() | decompose_quick_gelus() |
          decompose_rotary_embeddings())
      .named("decompose_fused_operators");
}

}  // namespace graft::inline v1
