#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

/// Convolution as ONNX words it, one sum at a time: images [N, C, H, W], weights [M, C / groups, kh, kw].
Tensor direct(const Tensor& x, const Tensor& w, std::int64_t groups, std::int64_t stride, std::int64_t dilation,
              std::int64_t pad) {
  const Dims& in = x.dims();
  const Dims& k = w.dims();
  const auto out = [&](std::size_t axis) { return (in[axis] + 2 * pad - dilation * (k[axis] - 1) - 1) / stride + 1; };
  const std::int64_t height = out(2), width = out(3);
  Tensor y(DType::f32, {in[0], k[0], height, width});
  const auto from = x.data<float>();
  const auto weight = w.data<float>();
  auto to = y.mutable_data<float>().begin();
  for (std::int64_t n = 0; n < in[0]; ++n)
    for (std::int64_t m = 0; m < k[0]; ++m)
      for (std::int64_t oh = 0; oh < height; ++oh)
        for (std::int64_t ow = 0; ow < width; ++ow, ++to)
          for (std::int64_t c = 0; c < k[1]; ++c)
            for (std::int64_t i = 0; i < k[2]; ++i)
              for (std::int64_t j = 0; j < k[3]; ++j) {
                const std::int64_t h = oh * stride - pad + i * dilation, v = ow * stride - pad + j * dilation;
                if (h < 0 || h >= in[2] || v < 0 || v >= in[3]) continue;
                const std::int64_t channel = m / (k[0] / groups) * k[1] + c;
                *to += from[static_cast<std::size_t>(((n * in[1] + channel) * in[2] + h) * in[3] + v)] *
                       weight[static_cast<std::size_t>(((m * k[1] + c) * k[2] + i) * k[3] + j)];
              }
  return y;
}

/// Small whole numbers, so that sums are exact in any order.
Tensor numbers(Dims dims) {
  Tensor tensor(DType::f32, std::move(dims));
  std::uint32_t state = 7;
  for (float& value : tensor.mutable_data<float>()) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<float>(state >> 28) - 8;
  }
  return tensor;
}

}  // namespace

TEST_CASE("Conv agrees with its definition on every path") {
  struct Shape {
    Dims x, w;
    std::int64_t groups;
  };
  const Shape shapes[] = {{{2, 3, 9, 8}, {4, 3, 3, 2}, 1},       // unfolded
                          {{1, 4, 7, 7}, {4, 2, 3, 3}, 2},       // in groups
                          {{2, 3, 9, 11}, {6, 1, 3, 3}, 3},      // depthwise, two filters a channel
                          {{1, 5, 6, 6}, {3, 5, 1, 1}, 1},       // pointwise
                          {{1, 64, 40, 40}, {2, 64, 3, 3}, 1}};  // unfolded in several parts
  for (const Shape& shape : shapes) {
    const Tensor x = numbers(shape.x);
    const Tensor w = numbers(shape.w);
    for (const std::int64_t stride : {1, 2}) {
      for (const std::int64_t dilation : {1, 2}) {
        for (const std::int64_t pad : {0, 1}) {
          CAPTURE(to_string(shape.x), to_string(shape.w), stride, dilation, pad);
          CHECK(same(run(11, "Conv", {x, w},
                         {{"group", shape.groups},
                          {"strides", Ints{stride, stride}},
                          {"dilations", Ints{dilation, dilation}},
                          {"pads", Ints{pad, pad, pad, pad}}}),
                     direct(x, w, shape.groups, stride, dilation, pad)));
        }
      }
    }
  }
}

TEST_CASE("Conv adds a bias to each filter") {
  const Tensor x = Tensor::of<float>({1, 1, 1, 2}, {1, 2});
  const Tensor w = Tensor::of<float>({2, 1, 1, 1}, {1, -1});
  CHECK(same(run(11, "Conv", {x, w, floats({10, 20})}), Tensor::of<float>({1, 2, 1, 2}, {11, 12, 19, 18})));
}

TEST_CASE("Conv has one, two or three spatial axes") {
  const Tensor line = run(11, "Conv", {counting({1, 1, 4}), Tensor::of<float>({1, 1, 2}, {1, 1})});
  CHECK(same(line, Tensor::of<float>({1, 1, 3}, {1, 3, 5})));
  const Tensor block = run(11, "Conv",
                           {counting({1, 1, 2, 2, 2}), Tensor::of<float>({1, 1, 2, 2, 2}, std::vector<float>(8, 1))});
  CHECK(same(block, Tensor::of<float>({1, 1, 1, 1, 1}, {28})));
}

TEST_CASE("Conv pads by itself on the side that auto_pad says") {
  const Tensor x = Tensor::of<float>({1, 1, 3}, {1, 2, 3});
  const Tensor w = Tensor::of<float>({1, 1, 2}, {1, 10});
  CHECK(same(run(11, "Conv", {x, w}, {{"auto_pad", "SAME_UPPER"}}), Tensor::of<float>({1, 1, 3}, {21, 32, 3})));
  CHECK(same(run(11, "Conv", {x, w}, {{"auto_pad", "SAME_LOWER"}}), Tensor::of<float>({1, 1, 3}, {10, 21, 32})));
  CHECK(same(run(11, "Conv", {x, w}, {{"auto_pad", "VALID"}}), Tensor::of<float>({1, 1, 2}, {21, 32})));
  CHECK(same(run(11, "Conv", {x, w}, {{"auto_pad", "SAME_UPPER"}, {"strides", Ints{2}}}),
             Tensor::of<float>({1, 1, 2}, {21, 3})));
}

TEST_CASE("Conv reads nothing where its window lies on padding alone") {
  const Tensor x = Tensor::of<float>({1, 2, 2}, {1, 2, 3, 4}), w = Tensor::of<float>({1, 2, 2}, {1, 10, 100, 1000});
  std::vector<float> wanted(101, 0);
  wanted[99] = 3010;   // the windows that end at the first and at the second place
  wanted[100] = 4321;
  CHECK(same(run(11, "Conv", {x, w}, {{"pads", Ints{100, 0}}}), Tensor::of<float>({1, 1, 101}, wanted)));
}

TEST_CASE("Conv runs in double and half precision") {
  const Tensor x = Tensor::of<double>({1, 1, 2}, {1, 2});
  CHECK(same(run(11, "Conv", {x, Tensor::of<double>({1, 1, 1}, {0.5})}), Tensor::of<double>({1, 1, 2}, {0.5, 1})));
  const Tensor half = Tensor::of<float>(DType::f16, {1, 1, 2}, {1, 2});
  CHECK(same(run(11, "Conv", {half, Tensor::of<float>(DType::f16, {1, 1, 1}, {0.5F})}),
             Tensor::of<float>(DType::f16, {1, 1, 2}, {0.5F, 1})));
}

TEST_CASE("Conv refuses shapes that do not fit") {
  const Tensor x = counting({1, 4, 5, 5});
  CHECK(failure_of(11, "Conv", {x, counting({2, 3, 1, 1})}).find("[2,3,1,1]") != std::string::npos);
  CHECK(failure_of(11, "Conv", {x, counting({3, 2, 1, 1})}, {{"group", 2}}) != "");
  CHECK(failure_of(11, "Conv", {x, counting({2, 4, 6, 6})}).find("does not fit") != std::string::npos);
  CHECK(failure_of(11, "Conv", {x, counting({2, 4, 1, 1}), floats({1})}).find("bias") != std::string::npos);
  CHECK(failure_of(11, "Conv", {x, counting({2, 4, 3, 3})}, {{"kernel_shape", Ints{1, 1}}}).find("kernel_shape") !=
        std::string::npos);
  CHECK(failure_of(11, "Conv", {x, counting({2, 4, 1, 1})}, {{"strides", Ints{0, 1}}}) != "");
  CHECK(failure_of(11, "Conv", {counting({1, 4}), counting({2, 4})}) != "");
}

TEST_CASE("Conv of no channels is its bias, and of nothing nothing") {
  const Tensor x(DType::f32, {1, 0, 4, 4}), w(DType::f32, {2, 0, 3, 3});
  CHECK(same(run(11, "Conv", {x, w}), Tensor(DType::f32, {1, 2, 2, 2})));
  CHECK(same(run(11, "Conv", {x, w, floats({1, 2})}), Tensor::of<float>({1, 2, 2, 2}, {1, 1, 1, 1, 2, 2, 2, 2})));
  CHECK(same(run(11, "Conv", {x, Tensor(DType::f32, {1, 0, 1, 1}), floats({3})}),
             Tensor::of({1, 1, 4, 4}, std::vector<float>(16, 3))));
  const Attributes halved{{"auto_pad", "SAME_UPPER"}, {"strides", Ints{2, 2}}};
  for (const std::int64_t channels : {1, 2}) {
    const Tensor empty(DType::f32, {1, channels, 0, 4});
    CHECK(run(11, "Conv", {empty, counting({3, channels, 1, 1})}, halved).dims() == Dims{1, 3, 0, 2});
    CHECK(run(11, "Conv", {empty, counting({3, channels, 2, 3})}, halved).dims() == Dims{1, 3, 0, 2});
  }
}
