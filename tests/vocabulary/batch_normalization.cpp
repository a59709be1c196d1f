#include <graft/vocabulary/batch_normalization.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/pattern.hpp>
#include <graft/testing/text.hpp>

using namespace graft;
using namespace graft::vocabulary;

TEST_CASE("a batch normalization is a factor and a bias for each channel") {
  const Tensor scales = Tensor::of<float>({2}, {6, 1}), variances = Tensor::of<float>({2}, {8, 0});
  const std::vector<double> factors = channel_factors(scales, variances, 1);
  CHECK(factors == std::vector<double>{2, 1});
  const Tensor biases = Tensor::of<float>({2}, {1, 5}), means = Tensor::of<float>({2}, {3, -2});
  CHECK(channel_biases(factors, biases, means) == std::vector<double>{-5, 7});
  CHECK(are_per_channel({&scales, &variances}, 2));
  CHECK_FALSE(are_per_channel({&scales, &variances}, 3));
  CHECK(are_finite(factors, biases, means));
  CHECK_FALSE(are_finite(channel_factors(scales, variances, 0), biases, means));  // 1 / sqrt(0)
  CHECK_FALSE(are_finite(factors, Tensor::of<float>({2}, {INFINITY, 0}), means));
}

TEST_CASE("a batch normalization in training is not one of inference") {
  const auto found = [](const char* text) {
    Model model = graph(text);
    return match(batch_normalization(x), *model.graph().find("y")->producer()) &&
           has_one_output(*model.graph().find("y")->producer());
  };
  CHECK(found("x: f32[1,2,3]; c = f32[2] random(1, 2); y = BatchNormalization(x, c, c, c, c) {momentum=0.5}"));
  CHECK_FALSE(found("x: f32[1,2,3]; c = f32[2] random(1, 2);"
                    "y, m, v = BatchNormalization(x, c, c, c, c) {training_mode=1}; return y, m, v"));
}

TEST_CASE("the greatest magnitude is NaN if a number is not finite, wherever it stands") {
  for (std::size_t size = 1; size < 20; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      std::vector<double> numbers(size, 0.5);
      numbers[at] = -3;
      CHECK(greatest_if_finite(numbers) == 3);
      for (const double bad : {std::numeric_limits<double>::infinity(), std::nan("")}) {
        numbers[at] = bad;
        CHECK(std::isnan(greatest_if_finite(numbers)));
      }
    }
  }
  CHECK(greatest_if_finite({}) == 0);
}

TEST_CASE("numbers fit a dtype that neither overflows nor loses their digits") {
  CHECK(fit({65504, 1}, DType::f16));
  CHECK_FALSE(fit({65536, 1}, DType::f16));
  CHECK(fit({65536, 1}, DType::f32));
  CHECK(fit({0x1p-14}, DType::f16));
  CHECK_FALSE(fit({0x1p-15}, DType::f16));
  CHECK(fit({0x1p-15}, DType::f32));
  CHECK(fit({0}, DType::f16));
  CHECK_FALSE(fit({1e300}, DType::f32));
  CHECK(fit({1e300}, DType::f64));
}
