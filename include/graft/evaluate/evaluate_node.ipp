#pragma once
#include <graft/evaluate/evaluate_node.hpp>

#include <graft/config.hpp>
#include <graft/evaluate/detail/run_kernel.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::vector<Tensor> evaluate(const Node& node, std::vector<Tensor> inputs, const Kernels& kernels) {
  const Kernel* kernel = kernels.find(node);
  if (kernel == nullptr) throw standard_kernels::detail::no_kernel(node);
  std::vector<Tensor> outputs(node.output_count());
  standard_kernels::detail::run_kernel(*kernel, node, inputs, outputs);
  return outputs;
}

}  // namespace graft::inline v1
