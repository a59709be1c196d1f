#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/evaluate/kernel_context.hpp>
#include <graft/evaluate/kernels.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::qonnx::detail {

/// The first output of an ONNX operator with the node's attributes and other inputs.
inline Tensor run_standard(const KernelContext& ctx, std::string_view op_type, int opset, std::vector<Tensor> inputs) {
  const Kernel* const kernel = Kernels::standard().find("", op_type, opset);
  if (kernel == nullptr)
    throw Error("there is no kernel for " + std::string(op_type) + " of opset " + std::to_string(opset));
  std::vector<Tensor> outputs(1);
  KernelContext inner(ctx.node(), inputs, outputs, nullptr, ctx.parallel());
  (*kernel)(inner);
  return std::move(outputs.front());
}

}  // namespace graft::inline v1::qonnx::detail
