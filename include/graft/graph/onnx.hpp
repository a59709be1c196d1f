#pragma once
// The only place that includes ONNX's generated protobuf classes, because their code is not free of warnings.
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#include <onnx/onnx_pb.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
