#include <graft/evaluate/detail/slide.hpp>

#include <limits>

#include <catch2/catch.hpp>

#include "evaluate/detail/random.hpp"
#include "evaluate/detail/strided_window.hpp"
#include "support/present_sets.hpp"

using namespace graft::standard_kernels;
using namespace graft::standard_kernels::detail;

TEST_CASE("pools of floats agree with the windows' runs on every instruction set") {
  for (const std::int64_t width : {2, 5, 9, 33, 150}) {
    for (const std::int64_t stride : {1, 2, 3}) {
      const Window w = strided_window(width, stride);
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
