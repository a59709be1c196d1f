#pragma once
#include <graft/graph/operators.hpp>

namespace graft::inline v1::qonnx {

/// The operators of QONNX, in every spelling of their domain, for Context::operators and Model::add_operators(): shape
/// functions and kernels of Quant, IntQuant, BipolarQuant, FloatQuant, Trunc, MultiThreshold, QuantAvgPool2d, of FINN's
/// Im2Col, MaxPoolNHWC and XnorPopcountMatMul, and of Conv, MaxPool and BatchNormalization of channels_last_domain.
///
/// Passes that know the kernels fold what depends on constants alone. Passes that know operators().without_kernels()
/// leave it.
const Operators& operators();
[[deprecated("use operators()")]] inline const Operators& shape_functions() { return operators(); }

}  // namespace graft::inline v1::qonnx
