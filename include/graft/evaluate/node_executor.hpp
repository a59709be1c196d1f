#pragma once
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <graft/evaluate/evaluate_node.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

/// The embedded executor for one node at a time, as Context::executor takes it: the node's outputs, or nothing if it
/// has no kernel or fails.
///
///   Context context;
///   context.executor = node_executor();
///
inline std::function<std::optional<std::vector<Tensor>>(const Node& node, std::span<const Tensor> inputs)>
node_executor() {
  return [](const Node& node, std::span<const Tensor> inputs) -> std::optional<std::vector<Tensor>> {
    try {
      return evaluate(node, {inputs.begin(), inputs.end()});
    } catch (const Error&) {
      return std::nullopt;
    }
  };
}

}  // namespace graft::inline v1
