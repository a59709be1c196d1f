#pragma once
#include <span>
#include <vector>

#include <graft/config.hpp>
#include <graft/evaluate/backward_kernels.hpp>
#include <graft/evaluate/parallel.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1 {

/// The gradients of a node's inputs by reverse-mode differentiation, one f32 tensor for each input, of its dims.
///
/// inputs and outputs are those of evaluate(): absent ones are undefined, and so may be outputs that the kernel does
/// not read. output_gradients has an f32 tensor of the dims of each output; missing and undefined ones are zero.
/// wanted[i] says whether the gradient of input i is computed.
///
/// A result is undefined if it is not wanted, if the input has no gradient (it is absent, or no float), or if all
/// gradients of outputs are zero. Where a function has a kink, the result is one of its one-sided derivatives, as in
/// PyTorch. Values are f32; only kernels that move elements support other dtypes. Bits do not depend on threads.
///
/// Throws Error naming the node if the operator has no backward kernel, or the kernel fails.
std::vector<Tensor> backward(const Node& node, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
                             std::span<const Tensor> output_gradients, const std::vector<bool>& wanted,
                             const ParallelFor* parallel = nullptr,
                             const BackwardKernels& kernels = BackwardKernels::standard());

/// Whether the node's operator has a backward kernel.
bool has_backward(const Node& node, const BackwardKernels& kernels = BackwardKernels::standard());

}  // namespace graft::inline v1
