#pragma once
#include <graft/evaluate/node_executor.hpp>

#include <graft/config.hpp>
#include <graft/evaluate/evaluate_node.hpp>
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

}  // namespace graft::inline v1
