#pragma once
#include <graft/graph/onnx.hpp>

namespace graft::inline v1 {

/// Leaves one quantization_annotation for each tensor: the first one, with the keys that only later ones have.
void unite_annotations(onnx::GraphProto& graph);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/graph/unite_annotations.ipp>
#endif
