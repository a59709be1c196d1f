#include <graft/evaluate/detail/slide.hpp>

#include <limits>

#include <catch2/catch.hpp>

#include "evaluate/detail/random.hpp"
#include "support/present_sets.hpp"

using namespace graft::standard_kernels;
using namespace graft::standard_kernels::detail;

TEST_CASE("pools of floats agree with the windows' runs on every instruction set") {
  for (const std::int64_t width : {2, 5, 9, 33, 150}) {
    for (const std::int64_t stride : {1, 2, 3}) {
      Window w;
      w.input = {1, 7, width};
      w.kernel = {1, 3, 3};
      w.stride = {1, stride, stride};
      w.pad_begin = {0, 1, 1};
      w.output = {1, 6 / stride + 1, (width - 1) / stride + 1};
      const std::vector<float> x = random_floats(w.input_size(), 1);
      std::vector<float> most(to_size(w.output_size()), -std::numeric_limits<float>::infinity());
      std::vector<float> sums(most.size());
      w.each_run([&](std::int64_t out, std::int64_t in, std::int64_t, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) {
          const float value = x[to_size(in + i * stride)];
          most[to_size(out + i)] = std::max(most[to_size(out + i)], value);
          sums[to_size(out + i)] += value;
        }
      });
      const Padded padded(w);
      std::vector<float> largest(most.size()), sum(most.size());
      for (const Simd simd : present_sets()) {
        CAPTURE(width, stride, static_cast<int>(simd));
        std::vector<float> plane(to_size(padded.size()), -std::numeric_limits<float>::infinity());
        padded.copy(x.data(), plane.data());
        run_simd<SlideRows<Largest>>(
            Slide{padded, plane.data(), nullptr, -std::numeric_limits<float>::infinity(), largest.data()}, simd);
        CHECK(largest == most);
        plane.assign(plane.size(), 0);
        padded.copy(x.data(), plane.data());
        run_simd<SlideRows<PlainSum>>(Slide{padded, plane.data(), nullptr, 0, sum.data()}, simd);
        CHECK(sum == sums);
      }
    }
  }
}
