#pragma once
#include <graft/evaluate/kernels.hpp>
#include <graft/evaluate/kernels/activation.hpp>
#include <graft/evaluate/kernels/arithmetic.hpp>
#include <graft/evaluate/kernels/attention.hpp>
#include <graft/evaluate/kernels/batch_normalization.hpp>
#include <graft/evaluate/kernels/bitwise.hpp>
#include <graft/evaluate/kernels/cast.hpp>
#include <graft/evaluate/kernels/concat.hpp>
#include <graft/evaluate/kernels/constant.hpp>
#include <graft/evaluate/kernels/control.hpp>
#include <graft/evaluate/kernels/conv.hpp>
#include <graft/evaluate/kernels/conv_transpose.hpp>
#include <graft/evaluate/kernels/cum_sum.hpp>
#include <graft/evaluate/kernels/deform_conv.hpp>
#include <graft/evaluate/kernels/dft.hpp>
#include <graft/evaluate/kernels/einsum.hpp>
#include <graft/evaluate/kernels/gather.hpp>
#include <graft/evaluate/kernels/gemm.hpp>
#include <graft/evaluate/kernels/grid_sample.hpp>
#include <graft/evaluate/kernels/gru.hpp>
#include <graft/evaluate/kernels/layer_normalization.hpp>
#include <graft/evaluate/kernels/logic.hpp>
#include <graft/evaluate/kernels/loss.hpp>
#include <graft/evaluate/kernels/lp_pool.hpp>
#include <graft/evaluate/kernels/lstm.hpp>
#include <graft/evaluate/kernels/matrix.hpp>
#include <graft/evaluate/kernels/movement.hpp>
#include <graft/evaluate/kernels/normalization.hpp>
#include <graft/evaluate/kernels/one_hot.hpp>
#include <graft/evaluate/kernels/pad.hpp>
#include <graft/evaluate/kernels/pool.hpp>
#include <graft/evaluate/kernels/pow.hpp>
#include <graft/evaluate/kernels/qlinear.hpp>
#include <graft/evaluate/kernels/quantize.hpp>
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

namespace graft::inline v1 {

template <class Void>
const Kernels& Kernels::standard() {
  static const Kernels all = [] {
    Kernels kernels;
    for (const auto add : {
             kernels::add_activation,
             kernels::add_arithmetic,
             kernels::add_attention,
             kernels::add_batch_normalization,
             kernels::add_bitwise,
             kernels::add_cast,
             kernels::add_concat,
             kernels::add_constant,
             kernels::add_control,
             kernels::add_conv,
             kernels::add_conv_transpose,
             kernels::add_cum_sum,
             kernels::add_deform_conv,
             kernels::add_dft,
             kernels::add_einsum,
             kernels::add_gather,
             kernels::add_gemm,
             kernels::add_grid_sample,
             kernels::add_gru,
             kernels::add_layer_normalization,
             kernels::add_logic,
             kernels::add_loss,
             kernels::add_lp_pool,
             kernels::add_lstm,
             kernels::add_matrix,
             kernels::add_movement,
             kernels::add_normalization,
             kernels::add_one_hot,
             kernels::add_pad,
             kernels::add_pool,
             kernels::add_pow,
             kernels::add_qlinear,
             kernels::add_quantize,
             kernels::add_reduce,
             kernels::add_regions,
             kernels::add_resize,
             kernels::add_reverse_sequence,
             kernels::add_rotary_embedding,
             kernels::add_scan,
             kernels::add_scatter,
             kernels::add_shape,
             kernels::add_signal_window,
             kernels::add_slice,
             kernels::add_softmax,
             kernels::add_sort,
             kernels::add_tf_idf_vectorizer,
             kernels::add_unary,
         }) {
      add(kernels);
    }
    return kernels;
  }();
  return all;
}

}  // namespace graft::inline v1
