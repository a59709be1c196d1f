#pragma once
#include <graft/qonnx/ops/kernels/channels_last.hpp>

#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/kernel_context.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/qonnx/ops/detail/channels.hpp>
#include <graft/qonnx/ops/detail/standard_operator.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE void channels_last_kernel(KernelContext& ctx) {
  const std::string_view op_type = ctx.node().op_type();
  std::vector<Tensor> inputs(ctx.inputs().begin(), ctx.inputs().end());
  inputs.at(0) = detail::channels_to_front(ctx.input(0));
  if (op_type == "Conv") inputs.at(1) = detail::channels_to_front(ctx.input(1));
  const int opset = ctx.opset() == 0 ? schema::newest_opset : ctx.opset();
  ctx.set_output(0, detail::channels_to_back(detail::run_standard(ctx, op_type, opset, std::move(inputs))));
}

GRAFT_INLINE void max_pool_nhwc_kernel(KernelContext& ctx) {
  std::vector<Tensor> inputs{detail::channels_to_front(ctx.input(0))};
  Tensor y = detail::run_standard(ctx, "MaxPool", schema::newest_opset, std::move(inputs));
  ctx.set_output(0, detail::channels_to_back(y));
}

}  // namespace graft::inline v1::qonnx
