#include <graft/evaluate/detail/float_conv_transpose.hpp>

#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "evaluate/detail/random.hpp"
#include "evaluate/detail/strided_window.hpp"
#include "support/present_sets.hpp"

using namespace graft::standard_kernels;
using namespace graft::standard_kernels::detail;

TEST_CASE("transposed convolutions agree with the windows' runs on every instruction set") {
  struct Shape {
    std::int64_t channels, planes;
  };
  for (const Shape& shape : {Shape{5, 3}, Shape{1, 1}, Shape{3, 1}, Shape{40, 70}}) {  // the last in several strips
    for (const std::int64_t width : {2, 5, 9, 33, 70}) {
      for (const std::int64_t stride : {1, 2, 3}) {
        const Window w = strided_window(width, stride);
        const std::int64_t depth = shape.planes * w.kernel_size();
        const std::vector<float> x = random_floats(shape.channels * w.output_size(), 1);
        const std::vector<float> weights = random_floats(depth * shape.channels, 2);
        std::vector<double> expected(to_size(shape.planes * w.input_size()), 1);
        for (std::int64_t plane = 0; plane < shape.planes; ++plane) {
          w.each_run([&](std::int64_t out, std::int64_t in, std::int64_t k, std::int64_t count) {
            for (std::int64_t i = 0; i < count; ++i)
              for (std::int64_t c = 0; c < shape.channels; ++c)
                expected[to_size(plane * w.input_size() + in + i * stride)] +=
                    double{x[to_size(c * w.output_size() + out + i)]} *
                    double{weights[to_size((plane * w.kernel_size() + k) * shape.channels + c)]};
          });
        }
        for (const Simd simd : present_sets()) {
          CAPTURE(shape.channels, shape.planes, width, stride, static_cast<int>(simd));
          std::vector<float> y(expected.size(), 1);
          FloatConvTranspose(w, shape.channels, shape.planes, simd).run(x.data(), weights.data(), y.data());
          double worst = 0;
          for (std::size_t i = 0; i < y.size(); ++i) worst = std::max(worst, std::abs(double{y[i]} - expected[i]));
          CHECK(worst < 1e-4);
        }
      }
    }
  }
}
