#pragma once
#include <graft/graph/unite_annotations.hpp>

#include <algorithm>
#include <string>
#include <unordered_map>

#include <graft/config.hpp>

namespace graft::inline v1 {

GRAFT_INLINE void unite_annotations(onnx::GraphProto& graph) {
  auto& annotations = *graph.mutable_quantization_annotation();
  std::unordered_map<std::string, onnx::TensorAnnotation*> firsts;
  int kept = 0;
  for (int i = 0; i < annotations.size(); ++i) {
    onnx::TensorAnnotation& annotation = *annotations.Mutable(i);
    const auto [first, is_first] = firsts.emplace(annotation.tensor_name(), &annotation);
    if (is_first) {
      annotations.SwapElements(i, kept++);
      continue;
    }
    auto& known = *first->second->mutable_quant_parameter_tensor_names();
    for (onnx::StringStringEntryProto& parameter : *annotation.mutable_quant_parameter_tensor_names()) {
      const auto has_key = [&](const onnx::StringStringEntryProto& entry) { return entry.key() == parameter.key(); };
      if (std::none_of(known.begin(), known.end(), has_key)) known.Add()->Swap(&parameter);
    }
  }
  annotations.DeleteSubrange(kept, annotations.size() - kept);
}

}  // namespace graft::inline v1
