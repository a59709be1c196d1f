#include <graft/qonnx/cleanup/fold_transpose_into_quantized_constant.hpp>

#include <string>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

#include "qonnx/as_qonnx.hpp"

using namespace graft;

TEST_CASE("weights and scales of each channel are transposed together", "[qonnx]") {
  const Trial trial = given("x: f32[1,2]; w = " +
                            quant("f32[3,2] {1, 2, 3, 4, 5, 6}", "f32[3,1] {1, 0.5, 0.25}", "f32[] 0", "f32[1] 4") +
                            "; y = MatMul(x, Transpose(w))")
                          .pass(qonnx::fold_transpose_into_quantized_constant());
  CHECK(trial.becomes("x: f32[1,2]; w = " +
                      quant("f32[2,3] {1, 3, 5, 2, 4, 6}", "f32[1,3] {1, 0.5, 0.25}", "f32[] 0", "f32[1] 4") +
                      "; y = MatMul(x, w)"));
  CHECK(trial.equivalent(as_qonnx()));
}

TEST_CASE("a scale of lower rank is aligned first", "[qonnx]") {
  CHECK(given("x: f32[4,3,2]; w = " + quant("f32[2,3,4] random", "f32[3,1] {1, 0.5, 0.25}") +
              "; y = Add(x, Transpose(w) {perm=[2,1,0]})")
            .pass(qonnx::fold_transpose_into_quantized_constant())
            .equivalent(as_qonnx()));
}

TEST_CASE("the axis of a DequantizeLinear follows", "[qonnx]") {
  const Trial trial =
      given("x: f32[1,2]; w = i8[3,2] {1, 2, 3, 4, 5, 6};"
            "y = MatMul(x, Transpose(DequantizeLinear(w, f32[3] {1, 0.5, 0.25}, i8[3] {0, 1, 2}) {axis=0}))")
          .pass(qonnx::fold_transpose_into_quantized_constant());
  CHECK(trial.becomes("x: f32[1,2]; w = i8[2,3] {1, 3, 5, 2, 4, 6};"
                      "y = MatMul(x, DequantizeLinear(w, f32[3] {1, 0.5, 0.25}, i8[3] {0, 1, 2}) {axis=1})"));
  CHECK(trial.equivalent());
}

TEST_CASE("what is quantized at run time, and parameters that are, stay", "[qonnx]") {
  for (const std::string& text : {"x: f32[2,3]; y = Transpose(" + quant("x") + ")",
                                 "s: f32[]; w = f32[2,3] 3; y = Transpose(" + quant("w", "s") + ")"})
    CHECK(given(text).pass(qonnx::fold_transpose_into_quantized_constant()).becomes(text));
}
