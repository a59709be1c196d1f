#pragma once
#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/evaluate/evaluate_node.hpp>
#include <graft/evaluate/kernels.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/tensor_proto.hpp>
#include <graft/graph/value.hpp>
#include <graft/qonnx/ops/kernels.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1::qonnx::detail {

/// The constants of a graph and of its bodies: those of Value::constant(), initializers that callers may override, and
/// values that are computed from these only, such as a quantized weight. Computed on demand.
class Constants {
 public:
  explicit Constants(Graph& graph) {
    for (const Graph* const scope : with_bodies(graph))
      for (const Node& node : scope->nodes())
        if (is_computed(node))
          for (const Value& output : node.outputs()) computed_.emplace(&output, std::nullopt);
  }

  /// Whether the value is the same in every run.
  bool has(const Value& value) const {
    return value.is_constant() || value.initializer() != nullptr || computed_.contains(&value);
  }
  /// Whether all outputs of the node are constants.
  bool has_outputs_of(const Node& node) const {
    const Value* const output = node.output(0);
    return output != nullptr && has(*output);
  }

  /// nullopt if it is not constant, or cannot be computed.
  std::optional<Tensor> find(const Value* value) {
    if (value == nullptr) return std::nullopt;
    const auto place = computed_.find(value);
    if (place == computed_.end()) return given(*value);
    if (!place->second) compute(*value->producer());
    return *place->second ? place->second : std::nullopt;
  }

 private:
  static std::optional<Tensor> given(const Value& value) {
    if (value.is_constant()) return value.constant();
    if (value.initializer() == nullptr || value.dtype() == DType::string) return std::nullopt;
    return read_tensor(*value.initializer(), value.graph().model().external_data());
  }

  bool is_computed(const Node& node) const {
    if (node.input_count() == 0 || !node.bodies().empty() || kernels().find(node) == nullptr) return false;
    for (const Value* const input : node.inputs())
      if (input != nullptr && !has(*input)) return false;
    return true;
  }

  /// A value that cannot be computed is stored without a tensor.
  void compute(const Node& node) {
    std::vector<Tensor> inputs, results;
    bool is_complete = true;
    for (const Value* const input : node.inputs()) {
      inputs.push_back(input != nullptr ? find(input).value_or(Tensor()) : Tensor());
      is_complete = is_complete && (input == nullptr || inputs.back());
    }
    try {
      if (is_complete) results = evaluate(node, std::move(inputs), kernels());
    } catch (const Error&) {
      // Its values stay unknown: running the model will report the error.
    }
    results.resize(node.output_count());
    for (std::size_t i = 0; i < results.size(); ++i) computed_.at(node.output(i)) = std::move(results[i]);
  }

  std::unordered_map<const Value*, std::optional<Tensor>> computed_;
};

}  // namespace graft::inline v1::qonnx::detail
