#pragma once
// quantization_annotation names values: its tensor, and the tensor's scale and zero point. Such a name is not a use of
// the value, but passes that drop unused values ask annotated() first. A commit writes the current names of the values.
#include <cstddef>
#include <string>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/unite_annotations.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// Looks up the values of all annotations in order: for each the tensor, then its parameters. nullptr for unknown
/// names.
GRAFT_INLINE void Graph::read_annotations() {
  if (graph_proto_ == nullptr) return;
  for (const onnx::TensorAnnotation& annotation : graph_proto_->quantization_annotation()) {
    annotated_.push_back(find(annotation.tensor_name()));
    for (const onnx::StringStringEntryProto& parameter : annotation.quant_parameter_tensor_names())
      annotated_.push_back(find(parameter.value()));
  }
}

/// Drops an annotation if one of its values is gone. It stays if another value now has that name, such as a graph
/// output with a new producer. In an edited graph, each tensor has at most one annotation, and each annotation has a
/// tensor.
GRAFT_INLINE void Graph::commit_annotations() {
  if (graph_proto_ == nullptr) return;
  auto& annotations = *graph_proto_->mutable_quantization_annotation();
  std::size_t names = 0;
  for (const onnx::TensorAnnotation& annotation : annotations)
    names += 1 + static_cast<std::size_t>(annotation.quant_parameter_tensor_names_size());
  if (names != annotated_.size()) {  // edited outside the view: start from the present annotations
    annotated_.clear();
    return read_annotations();
  }
  const bool is_edited =
      nodes_changed_ || wires_changed_ || initializers_changed_ || infos_changed_ || signature_changed_;
  std::size_t next = 0;
  int kept = 0;
  for (int i = 0; i < annotations.size(); ++i) {
    onnx::TensorAnnotation& annotation = *annotations.Mutable(i);
    bool is_whole = true;
    const auto follow = [&](const std::string& name, auto&& rename) {
      Value* value = annotated_[next++];
      if (value == nullptr) return false;
      if (value->erased()) value = find(name);
      if (value == nullptr || value->name().empty()) {
        is_whole = false;
      } else if (value->name() != name) {
        rename(std::string(value->name()));
      }
      return true;
    };
    const bool has_tensor =
        follow(annotation.tensor_name(), [&](std::string name) { annotation.set_tensor_name(std::move(name)); });
    for (onnx::StringStringEntryProto& parameter : *annotation.mutable_quant_parameter_tensor_names())
      follow(parameter.value(), [&](std::string name) { parameter.set_value(std::move(name)); });
    if (is_whole && (has_tensor || !is_edited)) annotations.SwapElements(i, kept++);
  }
  annotations.DeleteSubrange(kept, annotations.size() - kept);
  if (is_edited) unite_annotations(*graph_proto_);
  annotated_.clear();
  read_annotations();
}

}  // namespace graft::inline v1
