#include <graft/quantize/tune/detail/noise_share.hpp>

#include <array>
#include <cmath>
#include <cstdint>

#include <catch2/catch.hpp>

using namespace graft;

namespace {

Tensor floats(float a, float b) { return Tensor::of<float>({2}, {a, b}); }

double share(const Tensor& x, const Tensor& q) {
  return detail::noise_share(std::array<Tensor, 1>{x}, std::array<Tensor, 1>{q});
}

}  // namespace

TEST_CASE("the share of noise is its power by that of the signal, at most 1", "[quantize]") {
  CHECK(share(floats(3, 4), floats(3, 4)) == 0);
  CHECK(share(floats(3, 4), floats(3, 3)) == Approx(1.0 / 25));
  CHECK(share(floats(3, 4), floats(30, 40)) == 1);
  CHECK(share(floats(0, 0), floats(0, 0)) == 0);
  CHECK(share(floats(0, 0), floats(0, 1)) == 1);
  CHECK(share(floats(1, 1), floats(1, NAN)) == 1);
  CHECK(share(floats(1, 1), floats(1, INFINITY)) == 1);
  CHECK(share(floats(1, 1), Tensor::of<float>({1}, {1.f})) == 1);
}

TEST_CASE("of integers those that differ count, and of several outputs the mean", "[quantize]") {
  const Tensor one = Tensor::of<std::int64_t>({4}, {1, 2, 3, 4}), other = Tensor::of<std::int64_t>({4}, {1, 2, 3, 5});
  CHECK(share(one, other) == 0.25);
  CHECK(detail::noise_share(std::array{one, floats(3, 4)}, std::array{other, floats(3, 4)}) == 0.125);
  CHECK(detail::noise_share({}, {}) == 0);
}
