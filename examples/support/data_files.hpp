#pragma once
#include <filesystem>
#include <set>
#include <vector>

#include <graft/graph/external_data.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/value.hpp>

/// The files beside the model that hold its tensors, each once. Throws graft::Error for a tensor without a location.
inline std::vector<std::filesystem::path> data_files(const graft::Model& model) {
  std::set<std::filesystem::path> files;
  const std::filesystem::path folder = std::filesystem::path(model.file()).parent_path();
  const auto add = [&](const onnx::TensorProto& tensor) {
    if (tensor.data_location() == onnx::TensorProto::EXTERNAL)
      files.insert(folder / graft::external_location(tensor).location);
  };
  for (const graft::Graph* const scope : model.scopes()) {
    for (const graft::Value* const value : scope->initializers()) add(*value->initializer());
    for (const graft::Node& node : scope->nodes()) {
      for (const onnx::AttributeProto& attribute : node.proto().attribute()) {
        if (attribute.has_t()) add(attribute.t());
        for (const onnx::TensorProto& tensor : attribute.tensors()) add(tensor);
      }
    }
  }
  return {files.begin(), files.end()};
}
