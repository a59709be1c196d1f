#pragma once
#include <vector>

#include <graft/evaluate/kernels.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// Runs one node alone: its outputs from its inputs, an undefined Tensor standing for an absent one. The outputs may
/// share bytes with the inputs and the node's attributes. Throws Error naming the node if it has no kernel, has bodies,
/// or fails.
std::vector<Tensor> evaluate(const Node& node, std::vector<Tensor> inputs,
                             const Kernels& kernels = Kernels::standard());

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/evaluate/evaluate_node.ipp>
#endif
