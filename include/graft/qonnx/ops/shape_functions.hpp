#pragma once
#include <graft/graph/infer.hpp>

namespace graft::inline v1::qonnx {

/// For InferOptions::custom and Context::shape_functions: the operators of QONNX in every spelling of their domain.
const ShapeFunctions& shape_functions();

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/ops/shape_functions.ipp>
#endif
