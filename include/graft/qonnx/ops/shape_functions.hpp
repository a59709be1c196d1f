#pragma once
#include <graft/graph/infer.hpp>

namespace graft::inline v1::qonnx {

/// The shape functions of QONNX's operators, in every spelling of their domain, for InferOptions::custom and
/// Context::shape_functions.
const ShapeFunctions& shape_functions();

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/ops/shape_functions.ipp>
#endif
