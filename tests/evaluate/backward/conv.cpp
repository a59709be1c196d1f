#include <cmath>
#include <functional>
#include <vector>

#include <catch2/catch.hpp>
#include <graft/evaluate/backward.hpp>
#include <graft/evaluate/backward/conv.hpp>
#include <graft/evaluate/thread_pool.hpp>
#include <graft/graph/build.hpp>
#include "evaluate/backward/gradient_faults.hpp"
#include "evaluate/detail/random.hpp"
#include "evaluate/run_op.hpp"
#include "support/present_sets.hpp"

using namespace graft;

TEST_CASE("the gradients of Conv are slopes") {
  for (const char* model : {
           "x: f32[2,3,6,5]; w: f32[4,3,3,2]; b: f32[4]; y = Conv(x, w, b)",
           "x: f32[2,3,6,5]; w: f32[4,3,3,3]; y = Conv(x, w) {pads=[1,0,2,1], strides=[2,1]}",
           "x: f32[1,2,7,7]; w: f32[2,2,3,3]; y = Conv(x, w) {dilations=[2,1], strides=[1,2], pads=[1,1,1,1]}",
           "x: f32[2,4,5,5]; w: f32[6,2,3,3]; b: f32[6]; y = Conv(x, w, b) {group=2, pads=[1,1,1,1]}",
           "x: f32[2,3,5,6]; w: f32[6,1,3,3]; y = Conv(x, w) {group=3, strides=[2,2], pads=[1,1,1,1]}",  // depthwise
           "x: f32[2,5,3,4]; w: f32[3,5,1,1]; y = Conv(x, w)",                                            // pointwise
           "x: f32[2,5,3,4]; w: f32[3,5,1,1]; y = Conv(x, w) {strides=[2,2]}",
           "x: f32[1,2,5,5]; w: f32[2,2,2,2]; y = Conv(x, w) {auto_pad=\"SAME_UPPER\", strides=[2,2]}",
           "x: f32[1,2,5,5]; w: f32[2,2,2,2]; y = Conv(x, w) {auto_pad=\"SAME_LOWER\"}",
           "x: f32[1,2,9]; w: f32[3,2,3]; b: f32[3]; y = Conv(x, w, b) {strides=[2], pads=[1,1]}",
           "x: f32[1,2,3,4,3]; w: f32[2,2,2,3,2]; y = Conv(x, w) {pads=[0,1,0,1,0,1], strides=[1,2,1]}",
           "x: f32[1,2,2]; w: f32[2,2,2]; y = Conv(x, w) {pads=[100,0]}",  // padding alone
           "x: f32[1,2,6,6]; w: f32[2,2,2,2]; y = Conv(x, w) {pads=[-1,0,0,-2]}",
       }) {
    CAPTURE(model);
    CHECK(gradient_faults(model) == "");
  }
}

TEST_CASE("the gradients of a Conv of two inputs are products of the other factor") {
  Builder builder(17);
  Value& x = builder.input("x", DType::f32, {1, 1, 3});
  const Node& conv = *builder.op("Conv", {&x, &builder.input("w", DType::f32, {1, 1, 2})}).producer();
  const std::vector<Tensor> inputs{Tensor::of<float>({1, 1, 3}, {1, 2, 3}), Tensor::of<float>({1, 1, 2}, {10, 100})};
  const std::vector<Tensor> g{Tensor::of<float>({1, 1, 2}, {1, -2})};
  const std::vector<Tensor> gradients = backward(conv, inputs, {}, g, {true, true});
  CHECK(same(gradients[0], Tensor::of<float>({1, 1, 3}, {10, 80, -200})));
  CHECK(same(gradients[1], Tensor::of<float>({1, 1, 2}, {1 * 1 - 2 * 2, 1 * 2 - 2 * 3})));
}

TEST_CASE("sums for each tap are the same on every instruction set") {
  using namespace graft::standard_kernels;
  using namespace graft::standard_kernels::detail;
  for (const std::int64_t width : {1, 7, 16, 37}) {
    Window w;
    w.input = {1, 5, 2 * width};
    w.kernel = {1, 3, 3};
    w.stride = {1, 1, 2};
    w.pad_begin = {0, 1, 1};
    w.output = {1, 5, width};
    const std::vector<float> x = random_floats(w.input_size(), 1), g = random_floats(w.output_size(), 2);
    std::vector<double> expected(9, 1);
    w.each_run([&](std::int64_t out, std::int64_t in, std::int64_t k, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i)
        expected[to_size(k)] += double{g[to_size(out + i)]} * double{x[to_size(in + 2 * i)]};
    });
    const Padded padded(w);
    for (const Simd simd : present_sets()) {
      CAPTURE(width, static_cast<int>(simd));
      std::vector<float> sums(9, 1);
      ConvWeightGradient{padded, 1, 1, simd}.run(x.data(), g.data(), sums.data(), nullptr);
      for (std::size_t k = 0; k < 9; ++k) CHECK(std::abs(double{sums[k]} - expected[k]) < 1e-5);
    }
  }
}

TEST_CASE("the gradients of a large Conv are those of its definition, for any threads") {
  // Products in several panels and tasks; whole numbers, so that sums are exact.
  const std::int64_t channels = 20, filters = 33, size = 30;
  const auto numbers = [](Dims dims, std::uint32_t state) {
    Tensor tensor(DType::f32, std::move(dims));
    for (float& value : tensor.mutable_data<float>()) {
      state = state * 1664525U + 1013904223U;
      value = static_cast<float>(state >> 29) - 4;
    }
    return tensor;
  };
  const Tensor x = numbers({2, channels, size, size}, 1), w = numbers({filters, channels, 3, 3}, 2);
  Builder builder(17);
  Value& y = builder.op("Conv", {&builder.input("x", DType::f32), &builder.input("w", DType::f32)},
                        {{"pads", Ints{1, 1, 1, 1}}});
  const std::vector<Tensor> g{numbers({2, filters, size, size}, 3)};
  ThreadPool pool(3);
  const ParallelFor threads = std::ref(pool);
  for (const ParallelFor* parallel : {static_cast<const ParallelFor*>(nullptr), &threads}) {
    const std::vector<Tensor> gradients =
        backward(*y.producer(), std::vector<Tensor>{x, w}, {}, g, {true, true}, parallel);
    // The gradient of the input is the convolution of g with the turned weights.
    Tensor turned(DType::f32, {channels, filters, 3, 3});
    const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
    for (std::int64_t f = 0; f < filters; ++f)
      for (std::int64_t c = 0; c < channels; ++c)
        for (std::int64_t k = 0; k < 9; ++k)
          turned.mutable_data<float>()[at((c * filters + f) * 9 + k)] =
              w.data<float>()[at((f * channels + c) * 9 + 8 - k)];
    CHECK(same(gradients[0], run(17, "Conv", {g[0], turned}, {{"pads", Ints{1, 1, 1, 1}}})));
    Tensor slopes(DType::f32, {filters, channels, 3, 3});
    auto to = slopes.mutable_data<float>().begin();
    for (std::int64_t f = 0; f < filters; ++f)
      for (std::int64_t c = 0; c < channels; ++c)
        for (std::int64_t k = 0; k < 9; ++k, ++to)
          for (std::int64_t n = 0; n < 2; ++n)
            for (std::int64_t h = 0; h < size; ++h)
              for (std::int64_t v = 0; v < size; ++v) {
                const std::int64_t row = h + k / 3 - 1, column = v + k % 3 - 1;
                if (row < 0 || row >= size || column < 0 || column >= size) continue;
                *to += g[0].data<float>()[at(((n * filters + f) * size + h) * size + v)] *
                       x.data<float>()[at(((n * channels + c) * size + row) * size + column)];
              }
    CHECK(same(gradients[1], slopes));
  }
}
