#include <cmath>
#include <numbers>

#include <catch2/catch.hpp>

#include "evaluate/run_op.hpp"

using namespace graft;

namespace {

/// A cosine of `cycles` cycles over n samples, as a real signal [1, n, 1].
Tensor cosine(int cycles, int n) {
  std::vector<float> values;
  for (int i = 0; i < n; ++i) values.push_back(static_cast<float>(std::cos(2 * std::numbers::pi * cycles * i / n)));
  return Tensor::of({1, n, 1}, values);
}

}  // namespace

TEST_CASE("DFT finds the frequency of a cosine, for lengths even and odd") {
  for (const int n : {8, 12, 7}) {
    const Tensor y = run(17, "DFT", {cosine(2, n)});
    REQUIRE(y.dims() == Dims{1, n, 2});
    const std::vector<double> bins = y.to<double>();
    for (int k = 0; k < n; ++k) {
      CHECK(bins[static_cast<std::size_t>(2 * k)] == Approx(k == 2 || k == n - 2 ? n / 2.0 : 0).margin(1e-5));
      CHECK(bins[static_cast<std::size_t>(2 * k + 1)] == Approx(0).margin(1e-5));
    }
  }
}

TEST_CASE("DFT shifts by a turn, inverts, halves and fits to a length") {
  const Tensor impulse = Tensor::of<float>({1, 4, 1}, {0, 1, 0, 0});
  const Tensor y = run(17, "DFT", {impulse});
  CHECK(same(y, Tensor::of<float>({1, 4, 2}, {1, 0, 0, -1, -1, 0, 0, 1})));
  CHECK(same(run(17, "DFT", {y}, {{"inverse", 1}}), Tensor::of<float>({1, 4, 2}, {0, 0, 1, 0, 0, 0, 0, 0})));
  CHECK(same(run(20, "DFT", {impulse}, {{"onesided", 1}}), Tensor::of<float>({1, 3, 2}, {1, 0, 0, -1, -1, 0})));
  CHECK(same(run(20, "DFT", {impulse, Tensor::scalar<std::int64_t>(2), Tensor::scalar<std::int64_t>(1)}),
             Tensor::of<float>({1, 2, 2}, {1, 0, -1, 0})));
  const Tensor longer = run(17, "DFT", {Tensor::of<float>({1, 1, 1}, {3}), Tensor::scalar<std::int64_t>(2)});
  CHECK(same(longer, Tensor::of<float>({1, 2, 2}, {3, 0, 3, 0})));
  CHECK(failure_of(17, "DFT", {impulse}, {{"axis", 2}}) != "");
  CHECK(failure_of(17, "DFT", {floats({1, 2, 3})}) != "");
}

TEST_CASE("STFT transforms frames under a window") {
  const Tensor x = Tensor::of<float>({1, 4, 1}, {1, 2, 3, 4});
  const Tensor step = Tensor::scalar<std::int64_t>(2);
  CHECK(same(run(17, "STFT", {x, step, floats({1, 1})}),
             Tensor::of<float>({1, 2, 2, 2}, {3, 0, -1, 0, 7, 0, -1, 0})));
  CHECK(same(run(17, "STFT", {Tensor::of<float>({1, 4}, {1, 2, 3, 4}), step, floats({1, 1})}),
             Tensor::of<float>({1, 2, 2, 2}, {3, 0, -1, 0, 7, 0, -1, 0})));
  CHECK(same(run(17, "STFT", {x, step, floats({1, 0})}),
             Tensor::of<float>({1, 2, 2, 2}, {1, 0, 1, 0, 3, 0, 3, 0})));
  const Tensor full = run(17, "STFT", {x, step, Tensor(), Tensor::scalar<std::int64_t>(4)}, {{"onesided", 0}});
  CHECK(same(full, Tensor::of<float>({1, 1, 4, 2}, {10, 0, -2, 2, -2, 0, -2, -2}), 1e-5));
  CHECK(failure_of(17, "STFT", {x, step, floats({1, 1, 1, 1, 1})}) != "");
  CHECK(failure_of(17, "STFT", {x, Tensor::scalar<std::int64_t>(0)}) != "");
}
