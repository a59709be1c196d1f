#pragma once
#include <graft/evaluate/backward_kernels.hpp>

#include <graft/config.hpp>
#include <graft/evaluate/backward/activation.hpp>
#include <graft/evaluate/backward/arithmetic.hpp>
#include <graft/evaluate/backward/cast.hpp>
#include <graft/evaluate/backward/concat.hpp>
#include <graft/evaluate/backward/conv.hpp>
#include <graft/evaluate/backward/conv_transpose.hpp>
#include <graft/evaluate/backward/gather.hpp>
#include <graft/evaluate/backward/gemm.hpp>
#include <graft/evaluate/backward/layer_normalization.hpp>
#include <graft/evaluate/backward/logic.hpp>
#include <graft/evaluate/backward/movement.hpp>
#include <graft/evaluate/backward/normalization.hpp>
#include <graft/evaluate/backward/pad.hpp>
#include <graft/evaluate/backward/pool.hpp>
#include <graft/evaluate/backward/pow.hpp>
#include <graft/evaluate/backward/reduce.hpp>
#include <graft/evaluate/backward/resize.hpp>
#include <graft/evaluate/backward/shape.hpp>
#include <graft/evaluate/backward/slice.hpp>
#include <graft/evaluate/backward/softmax.hpp>
#include <graft/evaluate/backward/unary.hpp>
#include <graft/graph/model.hpp>

namespace graft::inline v1 {

GRAFT_INLINE const BackwardKernels& BackwardKernels::standard() {
  static const BackwardKernels all = [] {
    BackwardKernels kernels;
    kernels.base_ = &built_in();
    return kernels;
  }();
  return all;
}

GRAFT_INLINE const BackwardKernels& BackwardKernels::built_in() {
  static const BackwardKernels all = [] {
    BackwardKernels kernels;
    for (const auto add : {
             standard_kernels::backward::add_activation,
             standard_kernels::backward::add_arithmetic,
             standard_kernels::backward::add_cast,
             standard_kernels::backward::add_concat,
             standard_kernels::backward::add_conv,
             standard_kernels::backward::add_conv_transpose,
             standard_kernels::backward::add_gather,
             standard_kernels::backward::add_gemm,
             standard_kernels::backward::add_layer_normalization,
             standard_kernels::backward::add_logic,
             standard_kernels::backward::add_movement,
             standard_kernels::backward::add_normalization,
             standard_kernels::backward::add_pad,
             standard_kernels::backward::add_pool,
             standard_kernels::backward::add_pow,
             standard_kernels::backward::add_reduce,
             standard_kernels::backward::add_resize,
             standard_kernels::backward::add_shape,
             standard_kernels::backward::add_slice,
             standard_kernels::backward::add_softmax,
             standard_kernels::backward::add_unary,
         }) {
      add(kernels);
    }
    return kernels;
  }();
  return all;
}

GRAFT_INLINE const BackwardKernel* BackwardKernels::find(const Node& node) const {
  const std::string_view domain = node.domain(), op_type = node.op_type();
  if (const BackwardKernel* const added = added_.find(domain, op_type, node.opset())) return added;
  if (base_ == nullptr || node.graph().model().operators().kernel(domain, op_type) != nullptr) return nullptr;
  return base_->added_.find(domain, op_type, node.opset());
}

}  // namespace graft::inline v1
