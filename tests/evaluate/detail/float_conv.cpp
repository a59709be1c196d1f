#include <graft/evaluate/detail/float_conv.hpp>

#include <cmath>

#include <catch2/catch.hpp>

#include "evaluate/detail/random.hpp"
#include "support/present_sets.hpp"

using namespace graft::standard_kernels;
using namespace graft::standard_kernels::detail;

namespace {

using Extents = Window::Extents;

Window window(Extents input, Extents kernel, Extents stride, Extents dilation, Extents begin, Extents end) {
  Window w;
  w.rank = 3;
  w.input = input;
  w.kernel = kernel;
  w.stride = stride;
  w.dilation = dilation;
  w.pad_begin = begin;
  w.pad_end = end;
  for (std::size_t i = 0; i < 3; ++i)
    w.output[i] = (input[i] + begin[i] + end[i] - (kernel[i] - 1) * dilation[i] - 1) / stride[i] + 1;
  return w;
}

/// Calls f(output offset, input offset, kernel position) for what each output reads, as ONNX Conv words it.
template <class F>
void each_read(const Window& w, F&& f) {
  for (std::int64_t at = 0; at < w.output_size() * w.kernel_size(); ++at) {
    std::int64_t out = at / w.kernel_size(), k = at % w.kernel_size(), in = 0, scale = 1;
    bool inside = true;
    for (std::size_t i = 3; i-- > 0; out /= w.output[i], k /= w.kernel[i], scale *= w.input[i]) {
      const std::int64_t x = out % w.output[i] * w.stride[i] + k % w.kernel[i] * w.dilation[i] - w.pad_begin[i];
      inside = inside && x >= 0 && x < w.input[i];
      in += x * scale;
    }
    if (inside) f(to_size(at / w.kernel_size()), to_size(in), to_size(at % w.kernel_size()));
  }
}

std::vector<double> expected(const Window& w, std::int64_t channels, const std::vector<float>& x,
                             const std::vector<float>& weights, const std::vector<float>& start) {
  const std::size_t outputs = to_size(w.output_size()), inputs = to_size(w.input_size());
  std::vector<double> all;
  for (std::size_t f = 0; f < start.size(); ++f) {
    std::vector<double> plane(outputs, start[f]);
    for (std::size_t c = 0; c < to_size(channels); ++c) {
      const float* filter = weights.data() + (f * to_size(channels) + c) * to_size(w.kernel_size());
      each_read(w, [&](std::size_t out, std::size_t in, std::size_t k) {
        plane[out] += double{x[c * inputs + in]} * double{filter[k]};
      });
    }
    all.insert(all.end(), plane.begin(), plane.end());
  }
  return all;
}

/// The convolution of random numbers, and of random integers, on each instruction set.
void check(const Window& w, std::int64_t channels, std::int64_t filters) {
  const auto check_type = [&]<class T>(double largest, double tolerance) {
    const auto numbers = [&](std::int64_t count, std::uint32_t seed) {
      std::vector<float> values = random_floats(count, seed);
      if (largest > 1) for (float& value : values) value = std::round(value * static_cast<float>(largest));
      return values;
    };
    const std::vector<float> x = numbers(channels * w.input_size(), 1);
    const std::vector<float> weights = numbers(filters * channels * w.kernel_size(), 2);
    const std::vector<float> start = numbers(filters, 3);
    const std::vector<double> wanted = expected(w, channels, x, weights, start);
    const std::vector<T> starts(start.begin(), start.end());
    for (const Simd simd : present_sets()) {
      FloatConv conv(w, channels, filters, {}, simd);
      std::vector<T> y(wanted.size(), -7);
      conv.run(x.data(), weights.data(), starts.data(), y.data());
      for (std::size_t i = 0; i < y.size(); ++i) {
        if (!(std::abs(static_cast<double>(y[i]) - wanted[i]) <= tolerance))
          FAIL("output " << i << " is " << y[i] << ", not " << wanted[i]);
      }
    }
  };
  check_type.operator()<float>(1, 1e-4);
  check_type.operator()<std::int32_t>(255, 0);
}

}  // namespace

TEST_CASE("convolutions of floats agree with their definition on every instruction set") {
  for (const std::int64_t width : {1, 3, 4, 7, 8, 14, 16, 17, 50, 70}) {
    for (const std::int64_t stride : {1, 2, 3}) {
      for (const std::int64_t dilation : {1, 2, 3}) {
        for (const std::int64_t kernel : {1, 3}) {
          const Window w = window({1, 6, width}, {1, 2, kernel}, {1, 2, stride}, {1, 1, dilation}, {0, 1, 2},
                                  {0, 0, kernel * dilation});
          CAPTURE(width, stride, dilation, kernel);
          check(w, 1, 1);
          check(w, 1, 3);
          check(w, 5, 9);
        }
      }
    }
  }
}

TEST_CASE("convolutions of floats slide along three axes") {
  const Window w = window({5, 6, 7}, {3, 2, 3}, {2, 1, 2}, {1, 3, 2}, {1, 0, 3}, {2, 3, 1});
  check(w, 1, 2);
  check(w, 3, 4);
}

TEST_CASE("convolutions of floats take negative padding for what it cuts off") {
  const Window w = window({1, 9, 12}, {1, 3, 3}, {1, 1, 2}, {1, 1, 1}, {0, -1, -3}, {0, 2, -1});
  check(w, 1, 1);
  check(w, 2, 2);
}

TEST_CASE("convolutions of floats whose planes are large go strip by strip") {
  check(window({1, 150, 210}, {1, 3, 3}, {1, 4, 4}, {1, 1, 1}, {0, 1, 1}, {0, 1, 1}), 19, 2);
  check(window({1, 301, 200}, {1, 5, 3}, {1, 4, 4}, {1, 3, 1}, {0, 7, 1}, {0, 5, 0}), 12, 1);
  check(window({20, 31, 51}, {3, 3, 3}, {2, 4, 4}, {1, 1, 1}, {1, 1, 1}, {2, 1, 1}), 17, 1);
}

TEST_CASE("a convolution of no channels is its start") {
  check(window({1, 5, 6}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}), 0, 2);
}

TEST_CASE("pointwise convolutions read their input where it lies") {
  for (const std::int64_t filters : {1, 16, 33, 70})
    check(window({1, 7, 7}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}), 20, filters);
}

TEST_CASE("far padding and dilation are left to those who need no memory for it") {
  const std::int64_t far = 1 << 30;
  CHECK_FALSE(Padded(window({2, 1, 2}, {2, 1, 2}, {1, 1, 1}, {far, 1, far}, {far, 0, far}, {0, 0, 0})).worthwhile());
  CHECK(Padded(window({1, 1, 1}, {1, 7, 7}, {1, 1, 1}, {1, 1, 1}, {0, 3, 3}, {0, 3, 3})).worthwhile());
}
