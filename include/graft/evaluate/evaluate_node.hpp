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

/// The embedded executor for one node at a time, as Context::executor takes it: the node's outputs, or nothing if it
/// has no kernel or fails.
///
///   Context context;
///   context.executor = node_executor();
///
std::function<std::optional<std::vector<Tensor>>(const Node& node, std::span<const Tensor> inputs)> node_executor();

/// Runs one node alone: its outputs from its inputs, an undefined Tensor standing for an absent one. The outputs may
/// share bytes with the inputs and the node's attributes. Throws Error naming the node if it has no kernel, has bodies,
/// or fails.
std::vector<Tensor> evaluate(const Node& node, std::vector<Tensor> inputs,
                             const Kernels& kernels = Kernels::standard());

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/evaluate/evaluate_node.ipp>
#endif
