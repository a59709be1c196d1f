#pragma once
#include <span>
#include <string>

#include <graft/evaluate/kernels.hpp>
#include <graft/graph/model.hpp>

namespace graft::inline v1::kernels::detail {

/// "no kernel for com.microsoft::Attention of opset 1"
inline Error no_kernel(const Node& node) {
  std::string op(node.domain());
  if (!op.empty()) op += "::";
  op += node.op_type();
  Error error("no kernel for " + op + " of opset " + std::to_string(node.opset()));
  error.node(graft::detail::describe(node.proto()));
  return error;
}

/// Errors come out with the node's name.
inline void run_kernel(const Kernel& kernel, const Node& node, std::span<Tensor> inputs, std::span<Tensor> outputs,
                       const BodyRunner* bodies = nullptr, const ParallelFor* parallel = nullptr) {
  try {
    KernelContext context(node, inputs, outputs, bodies, parallel);
    kernel(context);
  } catch (Error& error) {
    throw error.node(graft::detail::describe(node.proto()));
  }
}

}  // namespace graft::inline v1::kernels::detail
