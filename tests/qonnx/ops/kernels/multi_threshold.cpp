#include "qonnx/ops/run_qonnx.hpp"

#include <limits>
#include <vector>

#include <catch2/catch.hpp>

using namespace graft;
using Catch::Contains;

namespace {

constexpr std::string_view op = "qonnx.custom_op.general::MultiThreshold";

}  // namespace

TEST_CASE("MultiThreshold counts the thresholds that are reached, in whatever order they are", "[qonnx]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = Tensor::of<float>({1, 5}, {-1, 0, 0.5F, 9, nan});
  CHECK(numbers(run_qonnx(op, {x, Tensor::of<float>({1, 3}, {0, 1, 2})})) == std::vector<float>{0, 1, 1, 3, 0});
  CHECK(numbers(run_qonnx(op, {x, Tensor::of<float>({1, 3}, {2, 0, 0})})) == std::vector<float>{0, 2, 2, 3, 0});
  CHECK(numbers(run_qonnx(op, {x, Tensor::of<float>({1, 2}, {nan, 0})})) == std::vector<float>{0, 1, 1, 1, 0});
  CHECK(numbers(run_qonnx(op, {x, Tensor::of<float>({1, 2}, {0, 2})}, {{"out_scale", 0.5F}, {"out_bias", -1.0F}})) ==
        std::vector<float>{-1, -0.5F, -0.5F, 0, -1});
}

TEST_CASE("the product with out_scale is rounded before out_bias is added", "[qonnx]") {
  const float scale = 0.1F;
  const Tensor x = Tensor::of<float>({1, 1}, {5});
  const volatile float product = scale * 3;
  const Tensor thresholds = Tensor::of<float>({1, 3}, {1, 2, 3});
  CHECK(numbers(run_qonnx(op, {x, thresholds}, {{"out_scale", scale}, {"out_bias", -0.3F}})) ==
        std::vector<float>{product - 0.3F});
}

TEST_CASE("each channel has thresholds of its own, and the layout says where channels are", "[qonnx]") {
  const Tensor thresholds = Tensor::of<float>({2, 1}, {0, 10});
  const Tensor x = Tensor::of<float>({1, 2, 1, 2}, {5, 5, 5, 5});
  CHECK(numbers(run_qonnx(op, {x, thresholds})) == std::vector<float>{1, 1, 0, 0});
  CHECK(numbers(run_qonnx(op, {x, thresholds}, {{"data_layout", "NHWC"}})) == std::vector<float>{1, 0, 1, 0});
  // Of three axes the channels are last unless the layout says otherwise.
  const Tensor three = Tensor::of<float>({1, 2, 2}, {5, 5, 5, 5});
  CHECK(numbers(run_qonnx(op, {three, thresholds})) == std::vector<float>{1, 0, 1, 0});
  CHECK(numbers(run_qonnx(op, {three, thresholds}, {{"data_layout", "NCW"}})) == std::vector<float>{1, 1, 0, 0});
}

TEST_CASE("many channels and long images count what a loop over the thresholds counts", "[qonnx]") {
  for (const bool shared : {false, true}) {
    for (const Dims& dims : {Dims{3, 150}, Dims{1, 2, 150}, Dims{2, 3, 10, 15}, Dims{2, 5, 7}, Dims{0, 4}}) {
      const std::size_t axis = dims.size() == 3 ? 2 : 1;
      const std::int64_t channels = dims[axis], steps = 5, rows = shared ? 1 : channels;
      std::int64_t inner = 1;
      for (std::size_t i = axis + 1; i < dims.size(); ++i) inner *= dims[i];
      Tensor x(DType::f32, dims), thresholds(DType::f32, {rows, steps});
      float next = 0;
      for (float& value : x.mutable_data<float>()) value = next = std::fmod(next + 7.25F, 11.0F);
      for (float& value : thresholds.mutable_data<float>()) value = next = std::fmod(next + 3.75F, 11.0F);
      std::vector<float> wanted;
      for (std::int64_t i = 0; i < x.size(); ++i) {
        const std::int64_t channel = shared ? 0 : i / inner % channels;
        int count = 0;
        for (std::int64_t t = 0; t < steps; ++t)
          count += x.data<float>()[static_cast<std::size_t>(i)] >=
                   thresholds.data<float>()[static_cast<std::size_t>(channel * steps + t)];
        wanted.push_back(static_cast<float>(count) * 2);
      }
      CHECK(numbers(run_qonnx(op, {x, thresholds}, {{"out_scale", 2.0F}})) == wanted);
    }
  }
}

TEST_CASE("thresholds that do not fit are refused", "[qonnx]") {
  const Tensor x = Tensor::of<float>({1, 2, 1, 2}, {5, 5, 5, 5});
  CHECK_THAT(qonnx_failure(op, {x, Tensor(DType::f32, {3, 1})}), Contains("the node") && Contains("thresholds: "));
  CHECK_THAT(qonnx_failure(op, {x, Tensor(DType::f32, {2})}), Contains("thresholds: "));
  CHECK_THAT(qonnx_failure(op, {x, Tensor(DType::f32, {2, 1})}, {{"data_layout", "NC"}}), Contains("data_layout: "));
}
