#pragma once
// quantization_annotation names values: the tensor that it is about, and those that hold its scale and zero point. A
// mention is no use of a value, but passes that drop what is unused ask annotated() first. At commit it follows the
// value under its new name.
#include <cstddef>
#include <string>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/unite_annotations.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1 {

/// What the annotations name, in their order: of each its tensor, then its parameters. nullptr for a name of nothing.
GRAFT_INLINE void Graph::read_annotations() {
  if (graph_proto_ == nullptr) return;
  for (const onnx::TensorAnnotation& annotation : graph_proto_->quantization_annotation()) {
    annotated_.push_back(find(annotation.tensor_name()));
    for (const onnx::StringStringEntryProto& parameter : annotation.quant_parameter_tensor_names())
      annotated_.push_back(find(parameter.value()));
  }
}

/// An annotation goes with any of the values that it names, unless its name now is that of another value: so does a
/// graph output that is computed in another way. Where the graph was edited, each tensor has at most one annotation,
/// and each annotation has a tensor.
GRAFT_INLINE void Graph::commit_annotations() {
  if (graph_proto_ == nullptr) return;
  auto& annotations = *graph_proto_->mutable_quantization_annotation();
  std::size_t names = 0;
  for (const onnx::TensorAnnotation& annotation : annotations)
    names += 1 + static_cast<std::size_t>(annotation.quant_parameter_tensor_names_size());
  if (names != annotated_.size()) {  // written behind the view's back: these are followed from here on
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
