#pragma once
#include <string>

/// A model in text form: y is a Quant of x, of these parameters, each written "f32[] 0.5".
struct QuantText {
  std::string x = "f32[2,3]", scale = "f32[] 0.5", zero_point = "f32[] 0", bits = "f32[] 4";
  bool is_signed = true, is_narrow = false;
  std::string rounding = "ROUND", op = "qonnx.custom_op.general::Quant";
  int opset = 13;

  std::string text() const {
    return "opset " + std::to_string(opset) + "; x: " + x + "; " + node("x");
  }
  /// Of a constant w, of that type and contents.
  std::string of_constant(const std::string& w) const {
    return "opset " + std::to_string(opset) + "; x: f32[1]; w = " + w + "; v = Identity(x); " + node("w") +
           "; return v, y";
  }
  std::string node(const std::string& input) const {
    return "y = " + op + "(" + input + ", " + scale + ", " + zero_point + ", " + bits + ") {signed=" +
           (is_signed ? "1" : "0") + ", narrow=" + (is_narrow ? "1" : "0") + ", rounding_mode=\"" + rounding + "\"}";
  }
};
