#pragma once
// The only place that includes ONNX's generated protobuf classes, because their code is not free of warnings, and that
// knows their namespace.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
// By this macro ONNX's header includes one of two files. Packages have the one that they were built with.
#if !defined(ONNX_ML) && __has_include(<onnx/onnx-ml.pb.h>) && !__has_include(<onnx/onnx.pb.h>)
#define ONNX_ML 1
#endif
#include <onnx/onnx_pb.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

#include <graft/config.hpp>

#ifndef ONNX_NAMESPACE
#define ONNX_NAMESPACE onnx
#endif

namespace graft::inline v1 {
/// The package of the protos. ONNX builds them as any namespace: onnx-tensorrt's is onnx2trt_onnx.
namespace onnx = ::ONNX_NAMESPACE;
}  // namespace graft::inline v1
