#pragma once
#include <string>

#include <onnx/onnx_pb.h>

/// Leaves one of several Relus in a chain, and returns what the version of graft reports of an input that is not there.
std::string use_first(onnx::ModelProto& proto);
std::string use_second(onnx::ModelProto& proto);
