#pragma once
#include <functional>
#include <optional>
#include <span>
#include <vector>

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
std::function<std::optional<std::vector<Tensor>>(const Node& node, std::span<const Tensor> inputs)>
node_executor();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/evaluate/node_executor.ipp>
#endif
