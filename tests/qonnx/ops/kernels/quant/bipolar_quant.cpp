#include "qonnx/ops/run_qonnx.hpp"

#include <limits>
#include <vector>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("BipolarQuant is the sign times the scale; 0 of either sign is positive, NaN negative", "[qonnx]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = vector_of({-2, -0.0F, 0, 3, nan});
  CHECK(numbers(run_qonnx("finn.custom_op.general::BipolarQuant", {x, number(0.25F)})) ==
        std::vector<float>{-0.25F, 0.25F, 0.25F, 0.25F, -0.25F});
  const Tensor rows = Tensor::of<float>({2, 2}, {-1, 1, -1, 1});
  CHECK(numbers(run_qonnx("onnx.brevitas::BipolarQuant", {rows, Tensor::of<float>({2, 1}, {1, 4})})) ==
        std::vector<float>{-1, 1, -4, 4});
}

TEST_CASE("BipolarQuant refuses a scale that is none", "[qonnx]") {
  CHECK_THAT(qonnx_failure("onnx.brevitas::BipolarQuant", {vector_of({1}), number(0)}), Catch::Contains("scale: "));
  CHECK_THAT(qonnx_failure("onnx.brevitas::BipolarQuant", {vector_of({1}), vector_of({1, 1})}),
             Catch::Contains("scale: "));
}
