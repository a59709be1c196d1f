#pragma once
// The one place that includes ONNX's generated protobuf classes; they are third-party code and not warning-free.
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
