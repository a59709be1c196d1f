#pragma once
#include <string>

#include <graft/qonnx/ops/kernels.hpp>
#include <graft/testing/equivalent.hpp>

/// Compared by what runs the operators of QONNX, too.
inline graft::Equivalence as_qonnx(double tolerance = 1e-5) {
  return {.inputs = 6, .atol = tolerance, .rtol = tolerance, .kernels = &graft::qonnx::kernels()};
}

/// A Quant of these parameters in the text of a graph.
inline std::string quant(const std::string& x, const std::string& scale = "f32[] 0.125",
                         const std::string& zero_point = "f32[] 0", const std::string& bits = "f32[] 4") {
  return "qonnx.custom_op.general::Quant(" + x + ", " + scale + ", " + zero_point + ", " + bits +
         ") {signed=1, narrow=0, rounding_mode=\"ROUND\"}";
}
