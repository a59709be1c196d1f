#pragma once
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <graft/evaluate/kernels.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// The embedded executor for one node at a time, for Context::executor: returns the node's outputs, or nothing if it
/// has no kernel or fails.
///
///   Context context;
///   context.executor = node_executor();
std::function<std::optional<std::vector<Tensor>>(const Node& node, std::span<const Tensor> inputs)> node_executor();

/// Runs one node: computes its outputs from its inputs, where an undefined Tensor is an absent input. The outputs may
/// share bytes with the inputs and the node's attributes. Throws Error naming the node if it has no kernel, has bodies,
/// or fails.
std::vector<Tensor> evaluate(const Node& node, std::vector<Tensor> inputs,
                             const Kernels& kernels = Kernels::standard());

}  // namespace graft::inline v1
