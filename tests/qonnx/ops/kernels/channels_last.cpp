#include "qonnx/ops/run_qonnx.hpp"

#include <numeric>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/qonnx/ops/detail/channels.hpp>

using namespace graft;

namespace {

Tensor counting(Dims dims) {
  Tensor tensor(DType::f32, std::move(dims));
  const auto values = tensor.mutable_data<float>();
  std::iota(values.begin(), values.end(), 1.0F);
  for (float& value : values) value = std::fmod(value * 7, 11.0F) - 5;
  return tensor;
}

/// The operator of ONNX on the channels-first form of the inputs, with its output channels last.
Tensor by_onnx(const std::string& op, const std::vector<Tensor>& inputs, std::size_t moved,
               const Attributes& attributes) {
  std::vector<Tensor> first = inputs;
  for (std::size_t i = 0; i < moved; ++i) first[i] = qonnx::detail::channels_to_front(first[i]);
  return qonnx::detail::channels_to_back(run_qonnx(op, first, attributes, 13));
}

}  // namespace

TEST_CASE("channels move from last to second and back", "[qonnx]") {
  const Tensor x = Tensor::of<float>({1, 2, 2, 3}, {0, 1, 2, 10, 11, 12, 20, 21, 22, 30, 31, 32});
  const Tensor y = qonnx::detail::channels_to_front(x);
  CHECK(y.dims() == Dims{1, 3, 2, 2});
  CHECK(y.to<float>() == std::vector<float>{0, 10, 20, 30, 1, 11, 21, 31, 2, 12, 22, 32});
  const Tensor large = counting({2, 7, 9, 40});
  CHECK(qonnx::detail::channels_to_back(qonnx::detail::channels_to_front(large)).same_bytes(large));
  CHECK_THROWS_AS(qonnx::detail::channels_to_front(vector_of({1})), Error);
}

TEST_CASE("the channels-last operators are ONNX's, transposed", "[qonnx]") {
  const std::string domain = "qonnx.custom_op.channels_last::";
  const Tensor x = counting({2, 5, 6, 4});
  const Attributes conv{{"kernel_shape", {3, 2}}, {"strides", {2, 1}}, {"pads", {1, 0, 1, 1}}, {"group", 2}};
  const std::vector<Tensor> conv_inputs{x, counting({6, 3, 2, 2}), counting({6})};
  CHECK(numbers(run_qonnx(domain + "Conv", conv_inputs, conv, 13)) == numbers(by_onnx("Conv", conv_inputs, 2, conv)));
  CHECK(numbers(run_qonnx(domain + "Conv", conv_inputs, conv, 1)) == numbers(by_onnx("Conv", conv_inputs, 2, conv)));

  const Attributes pool{{"kernel_shape", {2, 2}}, {"strides", {2, 2}}, {"pads", {0, 1, 0, 1}}};
  CHECK(numbers(run_qonnx(domain + "MaxPool", {x}, pool, 10)) == numbers(by_onnx("MaxPool", {x}, 1, pool)));
  CHECK(numbers(run_qonnx("finn.custom_op.general::MaxPoolNHWC", {x}, pool)) ==
        numbers(by_onnx("MaxPool", {x}, 1, pool)));

  const Tensor ones = Tensor::of<float>({4}, {1, 2, 3, 4});
  const std::vector<Tensor> normalized{x, ones, counting({4}), counting({4}), ones};
  const Attributes epsilon{{"epsilon", 0.5F}};
  CHECK(numbers(run_qonnx(domain + "BatchNormalization", normalized, epsilon, 9)) ==
        numbers(by_onnx("BatchNormalization", normalized, 1, epsilon)));
}

TEST_CASE("images of one axis have channels too", "[qonnx]") {
  const Tensor x = counting({1, 8, 3});
  const Attributes attributes{{"kernel_shape", {3}}, {"strides", {1}}, {"pads", {1, 1}}, {"group", 1}};
  const std::vector<Tensor> inputs{x, counting({2, 3, 3})};
  const Tensor y = run_qonnx("qonnx.custom_op.channels_last::Conv", inputs, attributes, 11);
  CHECK(y.dims() == Dims{1, 8, 2});
  CHECK(numbers(y) == numbers(by_onnx("Conv", inputs, 2, attributes)));
}
