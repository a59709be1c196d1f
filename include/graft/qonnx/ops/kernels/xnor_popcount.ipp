#pragma once
#include <graft/qonnx/ops/kernels/xnor_popcount.hpp>

#include <graft/config.hpp>
#include <graft/evaluate/kernel_context.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qonnx/ops/detail/elementwise.hpp>
#include <graft/qonnx/ops/detail/standard_operator.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE void xnor_popcount_kernel(KernelContext& ctx) {
  const Tensor a = ctx.input(0), b = ctx.input(1);
  if (a.rank() == 0 || b.rank() == 0) throw Error("an operand has no axis");
  const auto signs = [](const Tensor& bits) { return detail::map(bits, [](float bit) { return 2 * bit - 1; }); };
  const auto depth = static_cast<float>(a.dims().back());
  const Tensor product = detail::run_standard(ctx, "MatMul", schema::newest_opset, {signs(a), signs(b)});
  ctx.set_output(0, detail::map(product, [&](float sum) { return (sum + depth) * 0.5F; }));
}

}  // namespace graft::inline v1::qonnx
