#include <graft/qonnx/ops/truncation.hpp>

#include <cmath>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/testing.hpp>

using namespace graft;

TEST_CASE("version 1 of Trunc divides by the power of the bits that go, and keeps the rest", "[qonnx]") {
  const qonnx::Truncation by = qonnx::truncation_v1(Tensor::scalar(0.5F), Tensor::scalar(3.0F),
                                                   Tensor::of<float>({2}, {8, 10}), Tensor::scalar(7.0F));
  CHECK(by.divisor.to<float>() == std::vector<float>{2, 8});
  CHECK(by.lowest.item<float>() == -INFINITY);
  CHECK(by.highest.item<float>() == INFINITY);
  CHECK(by.zero_point.item<float>() == 3);
  CHECK(by.scale.item<float>() == 0.5F);
}

TEST_CASE("version 2 of Trunc divides by the power of two next to the quotient of the scales", "[qonnx]") {
  const Model model = graph("opset qonnx.custom_op.general 2; x: f32[2]; s: f32[]; "
                            "y = qonnx.custom_op.general::Trunc(x, s, s, s, s, s) {narrow=1}");
  const qonnx::Truncation by =
      qonnx::truncation_v2(model.graph().nodes().front(), Tensor::scalar(0.5F), Tensor::scalar(6.0F),
                          Tensor::scalar(2.1F), Tensor::of<float>({2}, {3, 4}));
  CHECK(by.divisor.item<float>() == 4);
  CHECK(by.lowest.to<float>() == std::vector<float>{-3, -7});
  CHECK(by.highest.to<float>() == std::vector<float>{3, 7});
  CHECK(by.zero_point.item<float>() == 1.5F);
  CHECK(by.scale.item<float>() == 2.1F);
}
