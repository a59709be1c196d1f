#pragma once
#include <utility>
#include <vector>

#include <graft/evaluate/detail/run_kernel.hpp>
#include <graft/evaluate/kernels.hpp>
#ifndef GRAFT_SEPARATE
#include <graft/evaluate/standard.hpp>
#endif

namespace graft::inline v1 {

/// Runs one node alone: its outputs from its inputs, an undefined Tensor standing for an absent one. The outputs may
/// share bytes with the inputs and the node's attributes. Throws Error naming the node if it has no kernel, has bodies,
/// or fails.
inline std::vector<Tensor> evaluate(const Node& node, std::vector<Tensor> inputs,
                                    const Kernels& kernels = Kernels::standard()) {
  const Kernel* kernel = kernels.find(node);
  if (kernel == nullptr) throw standard_kernels::detail::no_kernel(node);
  std::vector<Tensor> outputs(node.output_count());
  standard_kernels::detail::run_kernel(*kernel, node, inputs, outputs);
  return outputs;
}

}  // namespace graft::inline v1
