#include <limits>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

const Tensor x = counting({1, 1, 4, 4});

}  // namespace

TEST_CASE("MaxPool takes the largest of each window") {
  CHECK(same(run(12, "MaxPool", {x}, {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}}),
             Tensor::of<float>({1, 1, 2, 2}, {5, 7, 13, 15})));
  const Tensor negative = Tensor::of<float>({1, 1, 2}, {-3, -2});
  CHECK(same(run(12, "MaxPool", {negative}, {{"kernel_shape", Ints{2}}, {"pads", Ints{1, 1}}}),
             Tensor::of<float>({1, 1, 3}, {-3, -2, -2})));
  CHECK(same(run(12, "MaxPool", {counting({1, 1, 5})}, {{"kernel_shape", Ints{2}}, {"dilations", Ints{3}}}),
             Tensor::of<float>({1, 1, 2}, {3, 4})));
  CHECK(same(run(12, "MaxPool", {Tensor::of<std::uint8_t>({1, 1, 2}, {200, 7})}, {{"kernel_shape", Ints{2}}}),
             Tensor::of<std::uint8_t>({1, 1, 1}, {200})));
}

TEST_CASE("MaxPool tells where the largest stood, by rows or by columns") {
  const Attributes window{{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}};
  CHECK(same(run_op(12, "MaxPool", {x}, window, 2)[1], Tensor::of<std::int64_t>({1, 1, 2, 2}, {5, 7, 13, 15})));
  Attributes by_columns = window;
  by_columns.emplace_back("storage_order", 1);
  CHECK(same(run_op(12, "MaxPool", {x}, by_columns, 2)[1], Tensor::of<std::int64_t>({1, 1, 2, 2}, {5, 13, 7, 15})));
}

TEST_CASE("ceil_mode adds the window that is begun, not one that starts on the padding") {
  const Attributes window{{"kernel_shape", Ints{2}}, {"strides", Ints{2}}, {"ceil_mode", 1}};
  CHECK(same(run(12, "MaxPool", {counting({1, 1, 5})}, window), Tensor::of<float>({1, 1, 3}, {1, 3, 4})));
  const Attributes padded{{"kernel_shape", Ints{1}}, {"strides", Ints{2}}, {"pads", Ints{0, 2}}, {"ceil_mode", 1}};
  CHECK(run(12, "MaxPool", {counting({1, 1, 4})}, padded).dims() == Dims{1, 1, 3});
}

TEST_CASE("AveragePool divides by what lies on the image, or on the padding too") {
  const Tensor line = Tensor::of<float>({1, 1, 3}, {2, 4, 6});
  const Attributes window{{"kernel_shape", Ints{2}}, {"pads", Ints{1, 0}}};
  CHECK(same(run(11, "AveragePool", {line}, window), Tensor::of<float>({1, 1, 3}, {2, 3, 5})));
  Attributes with_pad = window;
  with_pad.emplace_back("count_include_pad", 1);
  CHECK(same(run(11, "AveragePool", {line}, with_pad), Tensor::of<float>({1, 1, 3}, {1, 3, 5})));
}

TEST_CASE("global pools reduce each image to one number") {
  CHECK(same(run(1, "GlobalAveragePool", {counting({1, 2, 2, 2})}), Tensor::of<float>({1, 2, 1, 1}, {1.5F, 5.5F})));
  CHECK(same(run(1, "GlobalMaxPool", {counting({1, 2, 3})}), Tensor::of<float>({1, 2, 1}, {2, 5})));
  CHECK(failure_of(1, "GlobalAveragePool", {counting({1, 2})}) != "");
}

TEST_CASE("pools of windows that are mostly padding visit the rest alone") {
  const std::int64_t wide = std::int64_t{1} << 30;  // more than could be walked over
  const Attributes far{{"kernel_shape", Ints{wide}}, {"pads", Ints{wide - 1, 0}}};
  const Tensor line = Tensor::of<float>({1, 1, 3}, {4, 2, 6});
  CHECK(same(run(13, "MaxPool", {line}, far), Tensor::of<float>({1, 1, 3}, {4, 4, 6})));
  CHECK(same(run(13, "AveragePool", {line}, far), Tensor::of<float>({1, 1, 3}, {4, 3, 4})));
  Attributes with_padding = far;
  with_padding.emplace_back("count_include_pad", 1);
  const Tensor y = run(13, "AveragePool", {line}, with_padding);
  CHECK(y.to<float>() == std::vector<float>{4 / 1073741824.0F, 6 / 1073741824.0F, 12 / 1073741824.0F});
}

TEST_CASE("pools of empty images are empty") {
  const Tensor empty(DType::f32, {1, 2, 0, 4});
  const Attributes window{{"auto_pad", "SAME_UPPER"}, {"strides", Ints{2, 2}}, {"kernel_shape", Ints{1, 1}}};
  for (const char* op : {"MaxPool", "AveragePool"}) CHECK(run(11, op, {empty}, window).dims() == Dims{1, 2, 0, 2});
}

TEST_CASE("MaxPool passes NaN by wherever it stands, and with indices too") {
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  for (const Tensor& line : {floats({nan, 1, 2}), floats({1, nan, 2}), floats({2, 1, nan})}) {
    const Tensor image = line.reshaped({1, 1, 3});
    const Tensor two = Tensor::of<float>({1, 1, 1}, {2});
    CHECK(same(run(12, "MaxPool", {image}, {{"kernel_shape", Ints{3}}}), two));
    CHECK(same(run_op(12, "MaxPool", {image}, {{"kernel_shape", Ints{3}}}, 2)[0], two));
    CHECK(same(run(1, "GlobalMaxPool", {image}), two));
  }
  const Attributes apart{{"kernel_shape", Ints{2}}, {"dilations", Ints{3}}, {"pads", Ints{1, 1}}};
  const Tensor pair = Tensor::of<float>({1, 1, 2}, {5, 6});
  CHECK(same(run(12, "MaxPool", {pair}, apart), run_op(12, "MaxPool", {pair}, apart, 2)[0]));
  const auto least = -std::numeric_limits<float>::infinity();
  const Tensor lowest_of_all = Tensor::of<float>({1, 1, 2}, {least, least});
  const auto lowest = run_op(12, "MaxPool", {lowest_of_all}, {{"kernel_shape", Ints{2}}}, 2);
  CHECK(same(lowest[0], Tensor::of<float>({1, 1, 1}, {least})));
  CHECK(same(lowest[1], Tensor::of<std::int64_t>({1, 1, 1}, {0})));
}
