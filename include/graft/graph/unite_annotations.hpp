#pragma once
#include <graft/graph/onnx.hpp>

namespace graft::inline v1 {

/// Merges the quantization_annotations of each tensor: the first one stays, with the keys that only later ones have.
void unite_annotations(onnx::GraphProto& graph);

}  // namespace graft::inline v1
