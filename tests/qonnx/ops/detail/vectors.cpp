#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/qonnx/ops/detail/vectors.hpp>
#include <graft/qonnx/ops/rounding_mode.hpp>

using namespace graft;
using qonnx::RoundingMode;

namespace {

using Four = qonnx::detail::Vectors<4>;

/// By the general rule, which half_even has too, and by its own.
std::vector<float> rounded(float x, RoundingMode mode) {
  Four::Floats v;
  Four::fill(v, x);
  Four::round(v, qonnx::detail::Rounding(mode));
  std::vector<float> all(8, 0.0F);
  Four::store(all.data(), v);
  Four::fill(v, x);
  Four::round_half_even(v);
  Four::store(all.data() + 4, v);
  return all;
}

bool same_bits(float a, float b) { return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace

TEST_CASE("vectors round as numbers do, to the bit", "[qonnx]") {
  using enum RoundingMode;
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> values{
      0.0F,       0.5F,       0.49999997F, 0.50000006F, 1.5F,   2.5F,     8388607.5F,
      8388608.0F, 8388609.0F, 16777215.0F, 3e38F,       1e-45F, infinity, std::numeric_limits<float>::quiet_NaN()};
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    values.push_back(static_cast<float>(random() % 4001) / 8);
    const auto bits = static_cast<std::uint32_t>(random() & 0x7fffffffU);
    values.push_back(__builtin_bit_cast(float, bits));
  }
  for (const float value : values)
    for (const float x : {value, -value})
      for (const RoundingMode mode : {half_even, half_up, half_down, up, down, floor, ceil}) {
        const std::vector<float> all = rounded(x, mode);
        if (!same_bits(all[0], qonnx::round(x, mode)) || !same_bits(all[3], all[0]) ||
            !same_bits(all[4], qonnx::round(x, half_even))) {
          CAPTURE(x, mode, all[0], all[4]);
          FAIL();
        }
      }
}
