#pragma once
#include <graft/qonnx/ops/kernels/bipolar_quant.hpp>

#include <array>

#include <graft/config.hpp>
#include <graft/evaluate/kernel_context.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qonnx/ops/detail/elementwise.hpp>
#include <graft/qonnx/ops/detail/vectors.hpp>

namespace graft::inline v1::qonnx {

namespace detail {

struct Bipolarize {
  template <int Width>
  [[gnu::always_inline]] void run(typename Vectors<Width>::Floats& x,
                                  const typename Vectors<Width>::Floats (&scale)[1]) const {
    x = x >= 0.0F ? scale[0] : -scale[0];
  }
};

}  // namespace detail

GRAFT_INLINE void bipolar_quant_kernel(KernelContext& ctx) {
  const Tensor scale = detail::scale_parameter(ctx, 1, "scale");
  ctx.set_output(0, detail::elementwise(detail::Bipolarize(), detail::take_x(ctx), std::array{scale}, ctx.parallel()));
}

}  // namespace graft::inline v1::qonnx
