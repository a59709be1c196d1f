#pragma once
#include <graft/evaluate/kernels.hpp>

#include <graft/config.hpp>
#include <graft/evaluate/kernels/activation.hpp>
#include <graft/evaluate/kernels/arithmetic.hpp>
#include <graft/evaluate/kernels/attention.hpp>
#include <graft/evaluate/kernels/bitwise.hpp>
#include <graft/evaluate/kernels/block_quantized.hpp>
#include <graft/evaluate/kernels/cast.hpp>
#include <graft/evaluate/kernels/concat.hpp>
#include <graft/evaluate/kernels/constant.hpp>
#include <graft/evaluate/kernels/contrib_attention.hpp>
#include <graft/evaluate/kernels/control.hpp>
#include <graft/evaluate/kernels/conv.hpp>
#include <graft/evaluate/kernels/conv_transpose.hpp>
#include <graft/evaluate/kernels/cum_sum.hpp>
#include <graft/evaluate/kernels/deform_conv.hpp>
#include <graft/evaluate/kernels/dft.hpp>
#include <graft/evaluate/kernels/dynamic_quantize_lstm.hpp>
#include <graft/evaluate/kernels/einsum.hpp>
#include <graft/evaluate/kernels/embed_layer_normalization.hpp>
#include <graft/evaluate/kernels/gather.hpp>
#include <graft/evaluate/kernels/gemm.hpp>
#include <graft/evaluate/kernels/grid_sample.hpp>
#include <graft/evaluate/kernels/group_query_attention.hpp>
#include <graft/evaluate/kernels/gru.hpp>
#include <graft/evaluate/kernels/layer_normalization.hpp>
#include <graft/evaluate/kernels/logic.hpp>
#include <graft/evaluate/kernels/loss.hpp>
#include <graft/evaluate/kernels/lp_pool.hpp>
#include <graft/evaluate/kernels/lstm.hpp>
#include <graft/evaluate/kernels/matmul_integer_to_float.hpp>
#include <graft/evaluate/kernels/matrix.hpp>
#include <graft/evaluate/kernels/movement.hpp>
#include <graft/evaluate/kernels/normalization.hpp>
#include <graft/evaluate/kernels/one_hot.hpp>
#include <graft/evaluate/kernels/pad.hpp>
#include <graft/evaluate/kernels/pool.hpp>
#include <graft/evaluate/kernels/pow.hpp>
#include <graft/evaluate/kernels/qlinear.hpp>
#include <graft/evaluate/kernels/quantize.hpp>
#include <graft/evaluate/kernels/quantized_attention.hpp>
#include <graft/evaluate/kernels/reduce.hpp>
#include <graft/evaluate/kernels/regions.hpp>
#include <graft/evaluate/kernels/resize.hpp>
#include <graft/evaluate/kernels/reverse_sequence.hpp>
#include <graft/evaluate/kernels/rotary_embedding.hpp>
#include <graft/evaluate/kernels/scan.hpp>
#include <graft/evaluate/kernels/scatter.hpp>
#include <graft/evaluate/kernels/shape.hpp>
#include <graft/evaluate/kernels/signal_window.hpp>
#include <graft/evaluate/kernels/slice.hpp>
#include <graft/evaluate/kernels/softmax.hpp>
#include <graft/evaluate/kernels/sort.hpp>
#include <graft/evaluate/kernels/tf_idf_vectorizer.hpp>
#include <graft/evaluate/kernels/unary.hpp>
#include <graft/graph/model.hpp>

namespace graft::inline v1 {

GRAFT_INLINE const Kernels& Kernels::standard() {
  static const Kernels all = [] {
    Kernels kernels;
    kernels.base_ = &built_in();
    return kernels;
  }();
  return all;
}

GRAFT_INLINE const Kernels& Kernels::built_in() {
  static const Kernels all = [] {
    Kernels kernels;
    for (const auto add : {
             standard_kernels::add_activation,
             standard_kernels::add_arithmetic,
             standard_kernels::add_attention,
             standard_kernels::add_batch_normalization,
             standard_kernels::add_bitwise,
             standard_kernels::add_block_quantized,
             standard_kernels::add_cast,
             standard_kernels::add_concat,
             standard_kernels::add_constant,
             standard_kernels::add_contrib_attention,
             standard_kernels::add_control,
             standard_kernels::add_conv,
             standard_kernels::add_conv_transpose,
             standard_kernels::add_cum_sum,
             standard_kernels::add_deform_conv,
             standard_kernels::add_dft,
             standard_kernels::add_dynamic_quantize_lstm,
             standard_kernels::add_einsum,
             standard_kernels::add_gather,
             standard_kernels::add_gemm,
             standard_kernels::add_grid_sample,
             standard_kernels::add_group_query_attention,
             standard_kernels::add_gru,
             standard_kernels::add_layer_normalization,
             standard_kernels::add_embed_layer_normalization,
             standard_kernels::add_logic,
             standard_kernels::add_loss,
             standard_kernels::add_lp_pool,
             standard_kernels::add_lstm,
             standard_kernels::add_matmul_integer_to_float,
             standard_kernels::add_matrix,
             standard_kernels::add_movement,
             standard_kernels::add_normalization,
             standard_kernels::add_one_hot,
             standard_kernels::add_pad,
             standard_kernels::add_pool,
             standard_kernels::add_pow,
             standard_kernels::add_qlinear,
             standard_kernels::add_quantize,
             standard_kernels::add_quantized_attention,
             standard_kernels::add_reduce,
             standard_kernels::add_regions,
             standard_kernels::add_resize,
             standard_kernels::add_reverse_sequence,
             standard_kernels::add_rotary_embedding,
             standard_kernels::add_scan,
             standard_kernels::add_scatter,
             standard_kernels::add_shape,
             standard_kernels::add_signal_window,
             standard_kernels::add_slice,
             standard_kernels::add_softmax,
             standard_kernels::add_sort,
             standard_kernels::add_tf_idf_vectorizer,
             standard_kernels::add_unary,
         }) {
      add(kernels);
    }
    return kernels;
  }();
  return all;
}

}  // namespace graft::inline v1
