#pragma once
#include <graft/evaluate/kernels.hpp>

namespace graft::inline v1::qonnx {

/// Kernels::standard() and the operators of QONNX: Quant, IntQuant, BipolarQuant, FloatQuant, Trunc, MultiThreshold,
/// QuantAvgPool2d, and FINN's Im2Col, MaxPoolNHWC and XnorPopcountMatMul, in every spelling of their domain, with or
/// without an import; and Conv, MaxPool and BatchNormalization of channels_last_domain.
const Kernels& kernels();

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/ops/kernels.ipp>
#endif
