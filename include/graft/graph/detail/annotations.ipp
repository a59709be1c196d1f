#pragma once
// quantization_annotation names values: the tensor that it is about, and those that hold its scale and zero point. A
// mention is no use of a value, but passes that drop what is unused ask annotated() first. At commit it follows the
// value under its new name.
#include <string>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/detail/identity_sources.hpp>
#include <graft/graph/graph.hpp>
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
/// graph output that is computed in another way.
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
  std::vector<Value*> left;
  std::size_t next = 0;
  int kept = 0;
  for (int i = 0; i < annotations.size(); ++i) {
    onnx::TensorAnnotation& annotation = *annotations.Mutable(i);
    const std::size_t first = left.size();
    bool is_whole = true;
    const auto follow = [&](const std::string& name, auto&& rename) {
      Value* value = annotated_[next++];
      const bool named_nothing = value == nullptr;
      if (!named_nothing && value->erased()) value = find(name);
      left.push_back(value);
      if (named_nothing) return;
      if (value == nullptr || value->name().empty()) {
        is_whole = false;
      } else if (value->name() != name) {
        rename(std::string(value->name()));
      }
    };
    follow(annotation.tensor_name(), [&](std::string name) { annotation.set_tensor_name(std::move(name)); });
    for (onnx::StringStringEntryProto& parameter : *annotation.mutable_quant_parameter_tensor_names())
      follow(parameter.value(), [&](std::string name) { parameter.set_value(std::move(name)); });
    if (is_whole) {
      annotations.SwapElements(i, kept++);
    } else {
      left.resize(first);
    }
  }
  annotations.DeleteSubrange(kept, annotations.size() - kept);
  annotated_ = std::move(left);
}

}  // namespace graft::inline v1
