#pragma once
#include <string>

#include <graft/config.hpp>
#include <graft/session/session_config.hpp>

namespace graft::inline v1 {

/// C++ statements that make `options`, an Ort::SessionOptions of ONNX Runtime, with these options. Throws Error as
/// check_session_config() does.
std::string to_cpp(const SessionConfig& config);

/// The same for an onnxruntime.SessionOptions in Python.
std::string to_python(const SessionConfig& config);

}  // namespace graft::inline v1
