#include <algorithm>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

Tensor bytes(Dims dims, std::vector<std::uint8_t> values) { return Tensor::of(std::move(dims), values); }
Tensor byte(std::uint8_t value) { return Tensor::scalar(value); }
Tensor signed_bytes(Dims dims, std::vector<std::int8_t> values) { return Tensor::of(std::move(dims), values); }
Tensor number(float value) { return Tensor::scalar(value); }

}  // namespace

TEST_CASE("QLinearConv sums integers, scales per filter, rounds and saturates") {
  const Tensor x = bytes({1, 1, 1, 3}, {10, 12, 14});
  const Tensor w = signed_bytes({2, 1, 1, 1}, {3, -1});
  const Tensor w_zero = signed_bytes({2}, {0, 0});
  const Tensor bias = Tensor::of<std::int32_t>({2}, {1, 0});
  // (x - 10) * w + b: {1, 7, 13} at scale 0.5 * 1, {0, -2, -4} at 0.5 * 2; then / 2 + 100.
  CHECK(same(run(10, "QLinearConv", {x, number(0.5F), byte(10), w, floats({1, 2}), w_zero, number(2), byte(100), bias}),
             bytes({1, 2, 1, 3}, {100, 102, 103, 100, 99, 98})));
  CHECK(same(run(10, "QLinearConv", {x, number(500), byte(10), w, floats({1, 2}), w_zero, number(2), byte(100), bias}),
             bytes({1, 2, 1, 3}, {255, 255, 255, 100, 0, 0})));
}

TEST_CASE("QLinearMatMul may scale each column") {
  const Tensor a = bytes({1, 2}, {2, 3});
  const Tensor b = bytes({2, 2}, {1, 2, 3, 4});
  // (a - 1) * b = {7, 10}
  CHECK(same(run(10, "QLinearMatMul", {a, number(1), byte(1), b, number(1), byte(0), number(0.5F), byte(1)}),
             bytes({1, 2}, {15, 21})));
  CHECK(
      same(run(10, "QLinearMatMul", {a, number(1), byte(1), b, floats({1, 2}), bytes({2}, {0, 0}), number(1), byte(0)}),
           bytes({1, 2}, {7, 20})));
}

TEST_CASE("QGemm adds an integer bias, and makes floats where its result has no scale") {
  const auto int32s = [](std::vector<std::int32_t> values) {
    return Tensor::of<std::int32_t>({std::ssize(values)}, values);
  };
  const Tensor a = bytes({2, 1}, {2, 3}), b = bytes({2, 2}, {1, 3, 2, 4}), zeros = bytes({2}, {0, 1});
  // (a - 1)^T * (b^T - {0, 1}) = {1 + 2 * 3, 1 + 2 * 3} = {7, 7}; and {10, -2} more
  std::vector<Tensor> inputs{a, number(0.5F), byte(1), b, floats({1, 4}), zeros, int32s({10, -2})};
  const Attributes attributes{{"transA", 1}, {"transB", 1}, {"alpha", 2.0F}};
  CHECK(same(run(1, "com.microsoft::QGemm", inputs, attributes), Tensor::of<float>({1, 2}, {17, 20})));
  inputs.insert(inputs.end(), {number(2), byte(100)});
  CHECK(same(run(1, "com.microsoft::QGemm", inputs, attributes), bytes({1, 2}, {108, 110})));  // 8.5 goes to 8
}

TEST_CASE("sums of more than floats hold are exact too") {
  // In floats 800 * 255 * 127 - 800 * 253 * 127 = 203200 comes out as 202636.
  std::vector<std::uint8_t> x(1600, 255);
  std::vector<std::int8_t> w(1600, 127);
  std::fill(x.begin() + 800, x.end(), 253);
  std::fill(w.begin() + 800, w.end(), -127);
  const Tensor zero = signed_bytes({}, {0});
  CHECK(same(run(10, "QLinearConv", {bytes({1, 1600, 1}, x), number(1), byte(0), signed_bytes({1, 1600, 1}, w),
                                     number(1), zero, number(1016), byte(0)}),
             bytes({1, 1, 1}, {200})));
  CHECK(same(run(10, "QLinearMatMul", {bytes({1, 1600}, x), number(1), byte(0), signed_bytes({1600, 1}, w), number(1),
                                       zero, number(1016), byte(0)}),
             bytes({1, 1}, {200})));
}

TEST_CASE("sums that int32 cannot hold overflow, as accumulators do") {
  // 40000 * 255 * 255 = 2601000000
  const std::vector<std::uint8_t> most(40000, 255);
  CHECK(same(run(10, "MatMulInteger", {bytes({1, 40000}, most), bytes({40000, 1}, most)}),
             Tensor::of<std::int32_t>({1, 1}, {-1693967296})));
}

TEST_CASE("integer products are not scaled") {
  const Tensor a = bytes({1, 2}, {2, 255});
  const Tensor b = bytes({2, 1}, {1, 255});
  CHECK(same(run(10, "MatMulInteger", {a, b}), Tensor::of<std::int32_t>({1, 1}, {65027})));
  CHECK(same(run(10, "MatMulInteger", {a, b, byte(1), byte(1)}), Tensor::of<std::int32_t>({1, 1}, {64516})));
  CHECK(same(run(10, "ConvInteger", {bytes({1, 1, 2}, {3, 5}), bytes({1, 1, 2}, {1, 2}), byte(3)}),
             Tensor::of<std::int32_t>({1, 1, 1}, {4})));
}

TEST_CASE("com.microsoft adds, multiplies and averages quantized tensors") {
  const std::vector<Tensor> operands{bytes({2}, {3, 4}), number(0.5F), byte(1),   bytes({1}, {7}),
                                     number(2),          byte(5),      number(1), byte(10)};
  CHECK(same(run(1, "com.microsoft::QLinearAdd", operands), bytes({2}, {15, 16})));
  CHECK(same(run(1, "com.microsoft::QLinearMul", operands), bytes({2}, {14, 16})));
  CHECK(same(run(1, "com.microsoft::QLinearGlobalAveragePool",
                 {bytes({1, 1, 2, 2}, {1, 2, 3, 6}), number(2), byte(1), number(1), byte(0)}),
             bytes({1, 1, 1, 1}, {4})));
}

TEST_CASE("where a float is a tie, quantized sums round as ONNX Runtime's do") {
  // Of a MobileNetV2: 34345 * 0.00592517 is 203.499987, and 203.5 in float; what is divided last stays below.
  const Tensor bias = Tensor::of<std::int32_t>({1}, {34345});
  const Tensor zero = bytes({1, 1, 1, 1}, {0});
  CHECK(same(run(10, "QLinearConv", {zero, number(0.010085579F), byte(0), zero, number(0.0138232801F), byte(0),
                                     number(0.0235294122F), byte(0), bias}),
             bytes({1, 1, 1, 1}, {204})));
  // -32.50001 + 128 is 95.5 as its kernel adds up tensors, and less where the first is a number.
  const auto sum = [](const Tensor& a) {
    return run(1, "com.microsoft::QLinearAdd",
               {a, number(0.0317801088F), byte(137), bytes({2}, {145, 145}), number(0.0210924018F), byte(130),
                number(0.0352461115F), byte(128)});
  };
  CHECK(same(sum(bytes({2}, {91, 91})), bytes({2}, {96, 96})));
  CHECK(same(sum(bytes({1}, {91})), bytes({2}, {95, 95})));
  // 133.49999, where the mean is rounded first 133.5.
  CHECK(same(run(1, "com.microsoft::QLinearGlobalAveragePool",
                 {bytes({1, 1, 2, 2}, {242, 242, 242, 242}), number(0.0228115954F), byte(0), number(0.0413513593F),
                  byte(0)}),
             bytes({1, 1, 1, 1}, {133})));
}

TEST_CASE("zero points that are not as many as the scales are refused") {
  const Tensor a = bytes({1, 2}, {2, 3}), b = bytes({2, 2}, {1, 2, 3, 4});
  const Tensor none(DType::u8, {0});
  CHECK(failure_of(10, "MatMulInteger", {a, b, byte(1), none}).find("0 zero points") != std::string::npos);
  CHECK(failure_of(1, "com.microsoft::QLinearAdd",
                   {b, floats({1, 2}), byte(1), b, number(1), byte(1), number(1), byte(1)}).find("2 scales") !=
        std::string::npos);
}

TEST_CASE("QLinearMatMul of two vectors is a number") {
  const Tensor x = bytes({3}, {1, 2, 3});
  CHECK(same(run(21, "QLinearMatMul", {x, number(1), byte(0), x, number(1), byte(0), number(1), byte(0)}), byte(14)));
}

TEST_CASE("scales and zero points are as many as what they serve") {
  const Tensor x = bytes({1, 1, 2, 2}, {1, 2, 3, 4}), w = bytes({1, 1, 1, 1}, {1}), none = bytes({0}, {});
  const auto conv = [&](const Tensor& x_zero, const Tensor& w_scale, const Tensor& w_zero) {
    return failure_of(10, "QLinearConv", {x, number(1), x_zero, w, w_scale, w_zero, number(1), byte(0)});
  };
  CHECK(conv(byte(0), floats({1}), byte(0)) == "");
  CHECK(conv(byte(0), floats({1, 2, 3}), byte(0)) != "");
  CHECK(conv(none, floats({1}), byte(0)) != "");
  CHECK(conv(byte(0), floats({1}), none) != "");
  CHECK(failure_of(10, "ConvInteger", {x, w, none}) != "");
  const Tensor square = bytes({2, 2}, {1, 2, 3, 4});
  CHECK(failure_of(10, "MatMulInteger", {square, square, none}) != "");
  CHECK(failure_of(10, "MatMulInteger", {square, square, byte(0), none}) != "");
  const auto matmul = [&](const Tensor& b_scale, const Tensor& b_zero) {
    return failure_of(10, "QLinearMatMul", {square, number(1), byte(0), square, b_scale, b_zero, number(1), byte(0)});
  };
  CHECK(matmul(floats({1, 2}), byte(0)) == "");
  CHECK(matmul(floats({1, 2, 3}), byte(0)) != "");
  CHECK(matmul(number(1), none) != "");
  for (const char* op : {"com.microsoft::QLinearAdd", "com.microsoft::QLinearMul"}) {
    const auto refused = [&](const Tensor& scale, const Tensor& zero) {
      return failure_of(1, op, {x, scale, zero, x, number(1), byte(0), number(1), byte(0)}) != "";
    };
    CHECK(refused(number(1), none));
    CHECK(refused(floats({1, 1, 1, 1}), byte(0)));
  }
  CHECK(failure_of(1, "com.microsoft::QLinearGlobalAveragePool", {x, number(1), none, number(1), byte(0)}) != "");
}

TEST_CASE("sums of thousands of products are exact") {
  // 900 * 127 - 906 * 126 = 144; what floats add up to on the way is beyond 2^24.
  constexpr std::int64_t taps = 2000;
  std::vector<std::int8_t> w(taps, 0);
  std::fill_n(w.begin(), 900, std::int8_t{127});
  std::fill_n(w.begin() + 900, 906, std::int8_t{-126});
  w[1806] = 127;
  const std::vector<std::uint8_t> x(taps, 255);
  // 255 * (144 + 127) = 69105; / 500 = 138.21
  const Tensor zero = Tensor::scalar<std::int8_t>(0);
  CHECK(same(run(10, "QLinearConv",
                 {bytes({1, taps, 1, 1}, x), number(1), byte(0), signed_bytes({1, taps, 1, 1}, w), number(1), zero,
                  number(500), byte(0)}),
             bytes({1, 1, 1, 1}, {138})));
  CHECK(same(run(10, "QLinearMatMul",
                 {bytes({1, taps}, x), number(1), byte(0), signed_bytes({taps, 1}, w), number(1), zero, number(500),
                  byte(0)}),
             bytes({1, 1}, {138})));
  // 255 * 127 * 2000 + bias = 1 and 2^25 + 3 - 2^25 = 3
  const Tensor bias = Tensor::of<std::int32_t>({2}, {1 - 255 * 127 * 2000, -255 * 127 * 2000 - 255});
  const std::vector<std::int8_t> most(2 * taps, 127);
  CHECK(same(run(10, "QLinearConv",
                 {bytes({1, taps, 1, 1}, x), number(1), byte(0), signed_bytes({2, taps, 1, 1}, most), number(1), zero,
                  number(1), byte(255), bias}),
             bytes({1, 2, 1, 1}, {255, 0})));
}

namespace {

/// Numbers of the type of `zero`, nearly all of them at its far end.
Tensor extremes(Dims dims, const Tensor& zero, bool highest_end) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(element_count(dims)));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = highest_end == (i % 11 != 3) ? highest(zero.dtype()) : lowest(zero.dtype());
  return Tensor::of(zero.dtype(), std::move(dims), values);
}

/// Of a 3x3 input with padding of 1 by a 3x3 kernel, as ONNX ConvInteger words it.
std::vector<std::int32_t> conv_3x3(const Tensor& x, const Tensor& x_zero, const Tensor& w, const Tensor& w_zero) {
  const std::vector<std::int32_t> image = x.to<std::int32_t>(), filters = w.to<std::int32_t>();
  const std::int32_t image_zero = x_zero.item<std::int32_t>(), filter_zero = w_zero.item<std::int32_t>();
  const int channels = static_cast<int>(x.dims()[1]), count = static_cast<int>(w.dims()[0]);
  std::vector<std::int32_t> y;
  for (int f = 0; f < count; ++f) {
    for (int at = 0; at < 9; ++at) {
      std::int32_t sum = 0;
      for (int c = 0; c < channels; ++c) {
        for (int k = 0; k < 9; ++k) {
          const int row = at / 3 + k / 3 - 1, column = at % 3 + k % 3 - 1;
          if (row < 0 || row > 2 || column < 0 || column > 2) continue;
          sum += (image[static_cast<std::size_t>(c * 9 + row * 3 + column)] - image_zero) *
                 (filters[static_cast<std::size_t>((f * channels + c) * 9 + k)] - filter_zero);
        }
      }
      y.push_back(sum);
    }
  }
  return y;
}

}  // namespace

TEST_CASE("sums of thousands of extreme products are exact whatever the zero points") {
  const Attributes pads{{"pads", Ints{1, 1, 1, 1}}};
  for (const Tensor& x_zero : {byte(0), byte(128), byte(255)}) {
    for (const Tensor& w_zero : {Tensor::scalar<std::int8_t>(0), Tensor::scalar<std::int8_t>(-128), byte(255)}) {
      for (const bool highest_end : {false, true}) {
        CAPTURE(x_zero.item<int>(), w_zero.item<int>(), highest_end);
        const Tensor x = extremes({1, 512, 3, 3}, x_zero, true);
        const Tensor w = extremes({2, 512, 3, 3}, w_zero, highest_end);
        const std::vector<std::int32_t> sums = conv_3x3(x, x_zero, w, w_zero);
        CHECK(same(run(10, "ConvInteger", {x, w, x_zero, w_zero}, pads),
                   Tensor::of<std::int32_t>({1, 2, 3, 3}, sums)));
        // The middle of the output sees all numbers.
        const Tensor column = extremes({4608, 1}, w_zero, highest_end);
        CHECK(same(run(10, "MatMulInteger", {x.reshaped({1, 4608}), column, x_zero, w_zero}),
                   Tensor::of<std::int32_t>({1, 1}, {sums[4]})));
      }
    }
  }
}

TEST_CASE("sums of integers are exact where a window is mostly padding, too") {
  const Tensor x = bytes({1, 801, 2}, std::vector<std::uint8_t>(1602, 255));
  const Tensor w = signed_bytes({1, 801, 2}, std::vector<std::int8_t>(1602, 127));
  CHECK(same(run(10, "ConvInteger", {x, w}, {{"dilations", Ints{5000}}, {"pads", Ints{5000, 0}}}),
             Tensor::of<std::int32_t>({1, 1, 2}, {801 * 255 * 127, 801 * 255 * 127})));
}
