#include <graft/qdq/quantize_tensor.hpp>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

using namespace graft;

TEST_CASE("a tensor is quantized symmetrically as a whole", "[quantize]") {
  const QuantizedTensor q = quantize_tensor(Tensor::of<float>({2, 2}, {1.27f, -0.5f, 0.005f, 0}), DType::i8, {});
  CHECK(q.data.to<int>() == std::vector<int>{127, -50, 0, 0});
  CHECK(q.scale.item<float>() == 0.01f);
  CHECK(q.scale.rank() == 0);
  CHECK(q.zero_point.same_bytes(Tensor::scalar(std::int8_t{0})));
}

TEST_CASE("each index of the axis has a scale of its own", "[quantize]") {
  const Tensor tensor = Tensor::of<float>({2, 2, 2}, {1.27f, 0, 0, 12.7f, -2.54f, 1, -25.4f, 10});
  const QuantizedTensor rows = quantize_tensor(tensor, DType::i8, 0);
  CHECK(rows.scale.same_bytes(Tensor::of<float>({2}, {0.1f, 0.2f})));
  CHECK(rows.data.to<int>() == std::vector<int>{13, 0, 0, 127, -13, 5, -127, 50});
  const QuantizedTensor middle = quantize_tensor(tensor, DType::i8, 1);
  CHECK(middle.scale.same_bytes(Tensor::of<float>({2}, {0.02f, 0.2f})));
  CHECK(middle.data.to<int>() == std::vector<int>{64, 0, 0, 64, -127, 50, -127, 50});
  const QuantizedTensor last = quantize_tensor(tensor, DType::i8, 2);
  CHECK(last.scale.same_bytes(Tensor::of<float>({2}, {0.2f, 0.1f})));
  CHECK(last.data.to<int>() == std::vector<int>{6, 0, 0, 127, -13, 10, -127, 100});
}

TEST_CASE("unsigned weights have their zero in the middle", "[quantize]") {
  const QuantizedTensor q = quantize_tensor(Tensor::of<float>({3}, {1.27f, -1.27f, 0}), DType::u8, {});
  CHECK(q.data.to<int>() == std::vector<int>{255, 1, 128});
  CHECK(q.zero_point.same_bytes(Tensor::scalar(std::uint8_t{128})));
}

TEST_CASE("dequantized values take the scale and the zero point of their channel", "[quantize]") {
  const QuantizedTensor rows{Tensor::of<std::int8_t>({2, 1, 2}, {1, -2, 3, 4}), Tensor::of<float>({2}, {0.5f, 2}),
                             Tensor::of<std::int8_t>({2}, {1, -1}), 0};
  CHECK(rows.values() == std::vector<float>{0, -1.5f, 8, 10});
  const QuantizedTensor columns{rows.data, rows.scale, rows.zero_point, 2};
  CHECK(columns.values() == std::vector<float>{0, -2, 1, 10});
  const QuantizedTensor q = quantize_tensor(Tensor::of<float>({3}, {1.27f, -1.27f, 0}), DType::u8, {});
  CHECK(q.values() == std::vector<float>{1.27f, -1.27f, 0});
}

TEST_CASE("a channel of zeros takes the largest scale of the others", "[quantize]") {
  const Tensor tensor = Tensor::of<float>({3, 1}, {0, 1.27f, 2.54f});
  CHECK(quantize_tensor(tensor, DType::i8, 0).scale.same_bytes(Tensor::of<float>({3}, {0.02f, 0.01f, 0.02f})));
  const QuantizedTensor zeros = quantize_tensor(Tensor::of<float>({2, 1}, {0, 0}), DType::i8, 0);
  CHECK(zeros.scale.same_bytes(Tensor::of<float>({2}, {1, 1})));
  CHECK(zeros.data.to<int>() == std::vector<int>{0, 0});
}

TEST_CASE("tensors without elements and scalars are quantized", "[quantize]") {
  CHECK(quantize_tensor(Tensor(DType::f32, {0, 3}), DType::i8, 0).data.size() == 0);
  CHECK(quantize_tensor(Tensor(DType::f32, {2, 0}), DType::i8, 0).scale.size() == 2);
  CHECK(quantize_tensor(Tensor::scalar(-2.54f), DType::i8, {}).data.item<int>() == -127);
}

TEST_CASE("what is clipped takes the greatest code of the bits, in its own channel", "[quantize]") {
  std::vector<float> values(202, 1.2f);  // [101, 2]: of the second channel one value is an outlier
  values[7] = -10;
  const Tensor tensor = Tensor::of<float>({101, 2}, values);
  const QuantizedTensor q = quantize_tensor(tensor, DType::i8, 1, 2, Clipping::squared_error);
  CHECK(q.scale.same_bytes(Tensor::of<float>({2}, {1.2f, 1.3f})));
  std::vector<int> codes(202, 1);
  codes[7] = -1;
  CHECK(q.data.to<int>() == codes);
}

TEST_CASE("a value that is not finite is refused", "[quantize]") {
  for (const float bad : {NAN, INFINITY, -INFINITY}) {
    for (const std::size_t place : {std::size_t{0}, std::size_t{20}, std::size_t{39}}) {
      std::vector<float> values(40, 1.0f);
      values[place] = bad;
      CHECK_THROWS_WITH(quantize_tensor(Tensor::of<float>({2, 20}, values), DType::i8, 0),
                        "has a value that is not finite, and cannot be quantized");
    }
  }
}

TEST_CASE("no code is -128 and no value is off by more than half a step", "[quantize]") {
  std::mt19937 random(6);
  std::normal_distribution<float> normal;
  std::vector<float> values(5 * 7 * 11);
  for (float& value : values) value = normal(random);
  const Tensor tensor = Tensor::of<float>({5, 7, 11}, values);
  for (const std::optional<std::size_t> axis : {std::optional<std::size_t>(), std::optional<std::size_t>(1)}) {
    const QuantizedTensor q = quantize_tensor(tensor, DType::i8, axis);
    const std::vector<float> scales = q.scale.to<float>();
    const std::vector<int> codes = q.data.to<int>();
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const float scale = scales[axis ? i / 11 % 7 : 0];
      REQUIRE(codes[i] > -128);
      REQUIRE(std::abs(static_cast<float>(codes[i]) * scale - values[i]) <= 0.5001f * scale);
    }
  }
}

TEST_CASE("an axis that is not there and a dtype of other than 8 bits are refused", "[quantize]") {
  const Tensor tensor = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  CHECK_THROWS_WITH(quantize_tensor(tensor, DType::i8, 2), "cannot be quantized along axis 2: it has rank 2");
  CHECK_THROWS_WITH(quantize_tensor(Tensor::scalar(1.0f), DType::i8, 0),
                    "cannot be quantized along axis 0: it has rank 0");
  CHECK_THROWS_WITH(quantize_tensor(tensor, DType::i16, {}, 16),
                    "tensors are quantized symmetrically to i8, u8 or f8e4m3fn, not i16");
  CHECK_THROWS_WITH(quantize_tensor(tensor, DType::i4, {}, 4),
                    "tensors are quantized symmetrically to i8, u8 or f8e4m3fn, not i4");
}

TEST_CASE("channels side by side are quantized as they would be one by one", "[quantize]") {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  for (const std::int64_t channels : {1, 2, 31, 32, 33, 64, 100, 2049}) {
    for (const std::int64_t rows : {0, 1, 5}) {
      std::vector<float> values(static_cast<std::size_t>(rows * channels));
      for (float& value : values) value = normal(random);
      if (rows > 0) values.back() = -0.0f;
      std::vector<float> turned(values.size());
      const auto at = [](std::int64_t row, std::int64_t length, std::int64_t i) {
        return static_cast<std::size_t>(row * length + i);
      };
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < channels; ++c) turned[at(c, rows, r)] = values[at(r, channels, c)];
      for (const DType dtype : {DType::i8, DType::u8}) {
        const QuantizedTensor columns = quantize_tensor(Tensor::of<float>({rows, channels}, values), dtype, 1);
        const QuantizedTensor lines = quantize_tensor(Tensor::of<float>({channels, rows}, turned), dtype, 0);
        REQUIRE(columns.scale.same_bytes(lines.scale));
        REQUIRE(columns.zero_point.same_bytes(lines.zero_point));
        const std::vector<int> found = columns.data.to<int>(), expected = lines.data.to<int>();
        for (std::int64_t r = 0; r < rows; ++r)
          for (std::int64_t c = 0; c < channels; ++c)
            REQUIRE(found[at(r, channels, c)] == expected[at(c, rows, r)]);
      }
    }
  }
}

TEST_CASE("a vector is quantized along its only axis", "[quantize]") {
  const QuantizedTensor q = quantize_tensor(Tensor::of<float>({3}, {1.27f, -2.54f, 0}), DType::i8, 0);
  CHECK(q.data.to<int>() == std::vector<int>{127, -127, 0});
  CHECK(q.scale.same_bytes(Tensor::of<float>({3}, {0.01f, 0.02f, 0.02f})));
}

TEST_CASE("a value that is not finite is refused in any of the channels side by side", "[quantize]") {
  for (const std::size_t place : {std::size_t{0}, std::size_t{33}, std::size_t{70}, std::size_t{79}}) {
    std::vector<float> values(80, 1.0f);
    values[place] = NAN;
    CHECK_THROWS_WITH(quantize_tensor(Tensor::of<float>({2, 40}, values), DType::i8, 1),
                      "has a value that is not finite, and cannot be quantized");
  }
}
