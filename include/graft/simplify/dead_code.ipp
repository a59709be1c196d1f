#pragma once
#include <graft/simplify/dead_code.hpp>

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/schema.hpp>
#include <graft/graph/schema_types.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/rewrite/scopes.hpp>

namespace graft::inline v1 {
namespace detail {

/// Whether it is a BatchNormalization in training. Before version 14 the number of its outputs shows this, since then
/// training_mode does; ONNX Runtime crashes there if running_mean or running_var has no name.
inline bool may_be_training(const Node& node) {
  return node.is("BatchNormalization") &&
         (node.opset() < 14 || node.attr<std::int64_t>("training_mode").value_or(0) != 0);
}

/// Omits unused optional outputs of a node. (If the number of outputs has a meaning, as for Split, they are not
/// optional.)
inline std::size_t omit_optional_outputs(Node& node) {
  const schema::Operator* const facts = node.output_count() > 1 ? node.schema() : nullptr;
  if (facts == nullptr || may_be_training(node)) return 0;
  std::size_t omitted = 0;
  for (std::size_t i = 0; i < node.output_count(); ++i) {
    Value& output = *node.output(i);
    const schema::Parameter* const parameter = facts->output(i);
    if (parameter == nullptr || parameter->option != schema::Option::optional) continue;
    if (output.name().empty() || output.use_count() != 0) continue;
    node.graph().omit(output);
    ++omitted;
  }
  return omitted;
}

/// The values that annotations name, except those of unused tensors: their annotations are removed with them.
inline std::unordered_set<const Value*> claimed_by_annotations(const Graph& scope) {
  std::unordered_set<const Value*> claimed = scope.annotated();
  if (claimed.empty()) return claimed;
  for (const bool is_used : {false, true}) {  // tensors may share a parameter
    for (const onnx::TensorAnnotation& annotation : scope.proto()->quantization_annotation()) {
      const Value* const tensor = scope.find(annotation.tensor_name());
      if (tensor == nullptr || (tensor->use_count() != 0 || tensor->is_graph_input()) != is_used) continue;
      if (!is_used) claimed.erase(tensor);
      for (const onnx::StringStringEntryProto& parameter : annotation.quant_parameter_tensor_names()) {
        const Value* const named = scope.find(parameter.value());
        if (is_used) claimed.insert(named);
        else claimed.erase(named);
      }
    }
  }
  return claimed;
}

}  // namespace detail

GRAFT_INLINE Pass eliminate_dead_code(DeadCodeOptions options) {
  return pass("eliminate_dead_code",
              [options](Graph& graph, Context&) {
                Report report;
                const std::vector<Graph*> scopes = scopes_of(graph);
                // Bodies follow the scope around them. In reverse, values that only dead bodies use are found dead.
                for (auto scope = scopes.rbegin(); options.nodes && scope != scopes.rend(); ++scope) {
                  for (Node* node = (*scope)->last_node(); node != nullptr;) {
                    Node* const before = node->prev();
                    bool used = false;
                    for (const Value& output : node->outputs()) used = used || output.use_count() != 0;
                    if (used) {
                      report.changes += detail::omit_optional_outputs(*node);
                    } else {
                      (*scope)->erase(*node);
                      ++report.changes;
                    }
                    node = before;
                  }
                }
                for (Graph* const scope : scopes) {
                  if (!options.initializers || !scope->reachable()) continue;
                  const auto claimed = detail::claimed_by_annotations(*scope);
                  for (Value* const value : scope->initializers()) {
                    if (value->use_count() != 0 || claimed.count(value) != 0) continue;
                    if (value->is_graph_input()) {
                      if (!options.overridable) continue;
                      scope->remove_input(*value);  // leaves a plain initializer
                    }
                    scope->erase(*value);
                    ++report.changes;
                  }
                }
                return report;
              })
      .preserves_all();
}

}  // namespace graft::inline v1
