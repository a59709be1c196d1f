#pragma once
#include <string>

/// A serialized model, which computes Relu(Relu(Identity(x))). It has fields that no ONNX release defines.
std::string make_model();
/// The op types of a serialized model, joined by blanks.
std::string op_types(const std::string& model);
