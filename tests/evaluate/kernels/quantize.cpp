#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

template <class T>
Tensor row(std::vector<T> values) {
  return Tensor::of({static_cast<std::int64_t>(values.size())}, values);
}
template <class T>
Tensor one(T value) {
  return Tensor::scalar(value);
}

}  // namespace

TEST_CASE("QuantizeLinear rounds half to even before it adds the zero point, and saturates") {
  const Tensor x = floats({-1.5F, -0.5F, 0.5F, 1.5F, 2.5F, 1000, -1000});
  CHECK(same(run(13, "QuantizeLinear", {x, one(1.0F), one<std::uint8_t>(3)}),
             row<std::uint8_t>({1, 3, 3, 5, 5, 255, 0})));
  CHECK(same(run(13, "QuantizeLinear", {x, one(1.0F), one<std::int8_t>(0)}),
             row<std::int8_t>({-2, 0, 0, 2, 2, 127, -128})));
  CHECK(same(run(10, "QuantizeLinear", {x, one(1.0F)}), row<std::uint8_t>({0, 0, 0, 2, 2, 255, 0})));
  CHECK(same(run(21, "QuantizeLinear", {floats({1e6F, -1e6F}), one(1.0F), one<std::int16_t>(0)}),
             row<std::int16_t>({32767, -32768})));
}

TEST_CASE("QuantizeLinear divides by the scale: a product with its reciprocal rounds elsewhere") {
  int differ = 0;
  for (int i = 1; i < 100; ++i) {
    const auto scale = static_cast<float>(i);
    const float x = scale * 2.5F;
    differ += std::nearbyint(x * (1 / scale)) != 2;
    CHECK(run(13, "QuantizeLinear", {floats({x}), one(scale), one<std::uint8_t>(0)}).item<int>() == 2);
  }
  CHECK(differ > 0);
}

TEST_CASE("QuantizeLinear survives what is not a number") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(same(run(13, "QuantizeLinear", {floats({nan, infinity, -infinity}), one(1.0F), one<std::int8_t>(0)}),
             row<std::int8_t>({-128, 127, -128})));
}

TEST_CASE("scales may differ along an axis, or by blocks") {
  const Tensor x = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  const Tensor scale = floats({1, 0.5F});
  const Tensor zero = row<std::uint8_t>({0, 10});
  CHECK(same(run(13, "QuantizeLinear", {x, scale, zero}, {{"axis", 0}}),
             Tensor::of<std::uint8_t>({2, 2}, {1, 2, 16, 18})));
  CHECK(same(run(13, "QuantizeLinear", {x, scale, zero}), Tensor::of<std::uint8_t>({2, 2}, {1, 14, 3, 18})));
  CHECK(same(
      run(13, "DequantizeLinear", {Tensor::of<std::uint8_t>({2, 2}, {1, 14, 3, 18}), scale, zero}, {{"axis", -1}}), x));
  const Tensor blocks = Tensor::of<float>({1, 2}, {1, 0.5F});
  CHECK(
      same(run(21, "QuantizeLinear", {Tensor::of<float>({1, 3}, {1, 2, 3}), blocks}, {{"axis", 1}, {"block_size", 2}}),
           Tensor::of<std::uint8_t>({1, 3}, {1, 2, 6})));
  CHECK(same(run(21, "DequantizeLinear", {Tensor::of<std::uint8_t>({1, 3}, {1, 2, 6}), blocks},
                 {{"axis", 1}, {"block_size", 2}}),
             Tensor::of<float>({1, 3}, {1, 2, 3})));
  CHECK(failure_of(13, "QuantizeLinear", {x, floats({1, 2, 3})}).find("scale") != std::string::npos);
  CHECK(failure_of(13, "QuantizeLinear", {x, scale, one<std::uint8_t>(0)}).find("zero point") != std::string::npos);
}

TEST_CASE("DequantizeLinear subtracts the zero point in integers") {
  CHECK(same(run(13, "DequantizeLinear", {row<std::uint8_t>({0, 128, 255}), one(0.5F), one<std::uint8_t>(128)}),
             floats({-64, 0, 63.5F})));
  CHECK(
      same(run(13, "DequantizeLinear", {row<std::int8_t>({-128}), one(2.0F), one<std::int8_t>(127)}), floats({-510})));
  CHECK(same(run(13, "DequantizeLinear", {row<std::int32_t>({1 << 20}), one(0.25F)}), floats({1 << 18})));
  CHECK(
      failure_of(13, "DequantizeLinear", {row<std::uint8_t>({1}), one(1.0F), one<std::int8_t>(0)}).find("zero point") !=
      std::string::npos);
}

TEST_CASE("four bits are packed, and the output type may be an attribute") {
  const auto i4 = static_cast<std::int64_t>(DType::i4);
  const Tensor packed = run(21, "QuantizeLinear", {floats({-9, 3, 8}), one(1.0F)}, {{"output_dtype", i4}});
  CHECK(same(packed, Tensor::of<std::int64_t>(DType::i4, {3}, {-8, 3, 7})));
  CHECK(same(run(21, "DequantizeLinear", {packed, one(2.0F)}), floats({-16, 6, 14})));
  CHECK(failure_of(21, "QuantizeLinear", {floats({1}), one(1.0F), one<std::uint8_t>(0)}, {{"output_dtype", i4}})
            .find("output_dtype") != std::string::npos);
}

TEST_CASE("half precision scales give half precision values") {
  const Tensor scale = Tensor::of<float>(DType::f16, {}, {0.5F});
  CHECK(same(run(19, "DequantizeLinear", {row<std::uint8_t>({3}), scale}), Tensor::of<float>(DType::f16, {1}, {1.5F})));
  CHECK(same(run(19, "QuantizeLinear", {Tensor::of<float>(DType::f16, {1}, {1.5F}), scale}), row<std::uint8_t>({3})));
}

TEST_CASE("DynamicQuantizeLinear covers the input and zero") {
  const auto y = run_op(11, "DynamicQuantizeLinear", {floats({-1, 0, 4})}, {}, 3);
  CHECK(same(y[1], one(5.0F / 255)));
  CHECK(same(y[2], one<std::uint8_t>(51)));
  CHECK(same(y[0], row<std::uint8_t>({0, 51, 255})));
}

TEST_CASE("DynamicQuantizeLinear of a scale that is not a number still gives bytes") {
  // The zero points are those of ONNX Runtime and of the reference implementation.
  const float infinity = std::numeric_limits<float>::infinity();
  const auto infinite = run_op(11, "DynamicQuantizeLinear", {floats({-infinity, 1})}, {}, 3);
  CHECK(same(infinite[2], one<std::uint8_t>(255)));
  CHECK(same(run_op(11, "DynamicQuantizeLinear", {floats({1e-45F})}, {}, 3)[2], one<std::uint8_t>(255)));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const std::vector<float>& values : {std::vector{nan, 1.0F, 2.0F}, std::vector{1.0F, 2.0F, nan}}) {
    const auto lost = run_op(11, "DynamicQuantizeLinear", {floats(values)}, {}, 3);
    CHECK(std::isnan(lost[1].item<float>()));
    CHECK(same(lost[2], one<std::uint8_t>(255)));
  }
}

TEST_CASE("DequantizeLinear of 32 bits subtracts without overflow") {
  const std::int32_t least = std::numeric_limits<std::int32_t>::min();
  CHECK(same(run(21, "DequantizeLinear", {row<std::int32_t>({least}), one(0.5F), one<std::int32_t>(1000)}),
             floats({-1073742336.0F}), 0));
}
