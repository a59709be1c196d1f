#pragma once
#include <cstdio>
#include <optional>
#include <string>

#include <graft/evaluate/executor_factory.hpp>
#include <graft/evaluate/kernels.hpp>
#include <graft/graph/display_name.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#ifdef EXAMPLES_ONNXRUNTIME
#include <graft/evaluate/onnxruntime.hpp>
#endif

/// The first node without a kernel in graft; nullptr if every node has one.
inline const graft::Node* node_without_kernel(const graft::Model& model) {
  for (const graft::Graph* const scope : model.scopes()) {
    for (const graft::Node& node : scope->nodes()) {
      const std::string op = to_string(graft::OpName{node.domain(), node.op_type()});
      const bool is_computed = !node.is("Constant") && model.find_function(op) == nullptr;
      if (is_computed && graft::Kernels::standard().find(node) == nullptr) return &node;
    }
  }
  return nullptr;
}

/// Returns an executor that replaces graft's Evaluator if it lacks a kernel for an operator of the model: ONNX Runtime,
/// if the programs were built with it. Prints that on standard error.
inline std::optional<graft::ExecutorFactory> sample_executor(const graft::Model& model) {
  const graft::Node* const node = node_without_kernel(model);
  if (node == nullptr) return std::nullopt;
  const std::string op = to_string(graft::OpName{node->domain(), node->op_type()});
  const std::string name = graft::display_name(*node);
#ifdef EXAMPLES_ONNXRUNTIME
  std::fprintf(stderr, "graft has no kernel for %s (node '%s'): ONNX Runtime runs the samples\n", op.c_str(),
               name.c_str());
  return [](const graft::Graph& graph) { return graft::OnnxRuntime(graph, {.threads = 1}); };
#else
  std::fprintf(stderr, "graft has no kernel for %s (node '%s'), and was built without ONNX Runtime\n", op.c_str(),
               name.c_str());
  return std::nullopt;
#endif
}
