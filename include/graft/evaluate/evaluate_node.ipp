#pragma once
#include <graft/evaluate/evaluate_node.hpp>

#include <graft/config.hpp>
#include <graft/evaluate/detail/run_kernel.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::function<std::optional<std::vector<Tensor>>(const Node& node, std::span<const Tensor> inputs)>
node_executor() {
  return [](const Node& node, std::span<const Tensor> inputs) -> std::optional<std::vector<Tensor>> {
    try {
      return evaluate(node, {inputs.begin(), inputs.end()});
    } catch (const Error&) {
      return std::nullopt;
    }
  };
}

GRAFT_INLINE std::vector<Tensor> evaluate(const Node& node, std::vector<Tensor> inputs, const Kernels& kernels) {
  const Kernel* kernel = kernels.find(node);
  if (kernel == nullptr) throw standard_kernels::detail::no_kernel(node);
  std::vector<Tensor> outputs(node.output_count());
  standard_kernels::detail::run_kernel(*kernel, node, inputs, outputs);
  return outputs;
}

}  // namespace graft::inline v1
