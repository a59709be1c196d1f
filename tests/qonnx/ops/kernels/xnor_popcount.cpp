#include "qonnx/ops/run_qonnx.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("XnorPopcountMatMul counts equal bits", "[qonnx]") {
  const Tensor a = Tensor::of<float>({2, 3}, {1, 0, 1, 0, 0, 0});
  const Tensor b = Tensor::of<float>({3, 2}, {1, 0, 0, 1, 1, 0});
  const Tensor y = run_qonnx("qonnx.custom_op.general::XnorPopcountMatMul", {a, b});
  CHECK(y.dims() == Dims{2, 2});
  CHECK(numbers(y) == std::vector<float>{3, 0, 1, 2});
}
