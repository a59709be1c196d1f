#include <graft/qdq/quantize_data.hpp>

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "support/present_sets.hpp"

using namespace graft;

namespace {

/// QuantizeLinear as ONNX defines it, in the plainest words.
std::int32_t reference(float x, const QParams& q) {
  const float steps = x / q.scale;
  const double rounded = std::nearbyint(static_cast<double>(steps)) + q.zero_point;
  return static_cast<std::int32_t>(std::fmin(std::fmax(rounded, q.lowest()), q.highest()));
}

template <class Q>
std::vector<Q> quantized(const std::vector<float>& x, const QParams& q) {
  std::vector<Q> result(x.size());
  quantize<Q>(x, result, q);
  return result;
}

template <class Q>
void check_against_reference(const QParams& q) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> steps(-70000, 70000);
  std::vector<float> x;
  for (int i = 0; i < 10007; ++i) x.push_back(steps(random) * q.scale * (i % 2 == 0 ? 1 : 0.01f));
  for (int i = -600; i < 600; ++i) x.push_back(static_cast<float>(i) * 0.5f * q.scale);  // ties
  const std::vector<Q> result = quantized<Q>(x, q);
  for (std::size_t i = 0; i < x.size(); ++i) {
    INFO(x[i] << " / " << q.scale);
    REQUIRE(static_cast<std::int32_t>(result[i]) == reference(x[i], q));
  }
  for (const standard_kernels::Simd simd : present_sets()) {
    std::vector<Q> codes(x.size());
    standard_kernels::run_simd<detail::QuantizeLoop>(
        detail::Quantizing<Q, detail::SharedScale>{x.data(), codes.data(), x.size(), q.zero_point, {q.scale}}, simd);
    REQUIRE(codes == result);
  }
}

}  // namespace

TEST_CASE("values are divided, rounded half to even and saturated", "[quantize]") {
  CHECK(quantized<std::uint8_t>({0, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 1e9f, -1e9f}, {1, 10, DType::u8}) ==
        std::vector<std::uint8_t>{10, 10, 12, 12, 10, 8, 255, 0});
  CHECK(quantized<std::int8_t>({126.5f, 127.5f, -127.5f, -128.5f, -129}, {1, 0, DType::i8}) ==
        std::vector<std::int8_t>{126, 127, -128, -128, -128});
}

TEST_CASE("infinities saturate and NaN gives the lowest value", "[quantize]") {
  CHECK(quantized<std::int8_t>({INFINITY, -INFINITY, NAN}, {0.5f, 3, DType::i8}) ==
        std::vector<std::int8_t>{127, -128, -128});
  CHECK(quantized<std::uint8_t>({std::numeric_limits<float>::max()},
                                {std::numeric_limits<float>::min(), 0, DType::u8}) == std::vector<std::uint8_t>{255});
}

TEST_CASE("every value is quantized as QuantizeLinear does", "[quantize]") {
  for (const float scale : {1.0f, 0.1f, 6.0f / 255, 1e-6f, 3.7e5f, 1.1754944e-38f}) {
    check_against_reference<std::uint8_t>({scale, 131, DType::u8});
    check_against_reference<std::uint8_t>({scale, 0, DType::u8});
    check_against_reference<std::int8_t>({scale, -128, DType::i8});
    check_against_reference<std::int8_t>({scale, 0, DType::i8});
    check_against_reference<std::uint16_t>({scale, 40000, DType::u16});
    check_against_reference<std::int16_t>({scale, -5, DType::i16});
  }
}

TEST_CASE("the division is a division, not a product with the reciprocal", "[quantize]") {
  // 0.15 / 0.1 is 1.5 and a bit in float32, 0.15 * (1 / 0.1) is 1.5 exactly; and the like.
  std::mt19937 random(4);
  std::uniform_int_distribution<int> codes(-300, 300);
  std::uniform_real_distribution<float> scales(0.001f, 1);
  for (int i = 0; i < 20000; ++i) {
    const QParams q{scales(random), 0, DType::i16};
    const float x = static_cast<float>(codes(random) + 0.5) * q.scale;
    REQUIRE(quantized<std::int16_t>({x}, q)[0] == reference(x, q));
  }
}

TEST_CASE("the elements must be of the q-params' dtype, and as many as the values", "[quantize]") {
  std::vector<float> x(3);
  std::vector<std::int8_t> three(3), two(2);
  CHECK_THROWS_AS(quantize<std::int8_t>(x, three, {1, 0, DType::u8}), Error);
  CHECK_THROWS_AS(quantize<std::int8_t>(x, two, {1, 0, DType::i8}), Error);
}

TEST_CASE("values are quantized each with its scale", "[quantize]") {
  const std::vector<float> x{1, 1, 1, -1e9f}, scales{1, 0.5f, 0.25f, 1};
  std::vector<std::uint8_t> result(4);
  quantize<std::uint8_t>(x, scales, result, {7, 10, DType::u8});
  CHECK(result == std::vector<std::uint8_t>{11, 12, 14, 0});
  CHECK_THROWS_WITH(quantize<std::uint8_t>(x, std::span(scales).first(3), result, {7, 10, DType::u8}),
                    "there are fewer scales than values");
}
