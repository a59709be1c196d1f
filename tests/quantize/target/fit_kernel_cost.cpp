#include <graft/quantize/target/fit_kernel_cost.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include <graft/graph/error.hpp>
#include <graft/testing/random.hpp>

using namespace graft;

namespace {

/// Of convolutions of several sizes; noise: the largest relative error.
std::vector<KernelTime> times(const KernelCost& cost, double noise = 0) {
  std::vector<KernelTime> result;
  Random random(3);
  for (const double elements : {1e3, 1e4, 1e5, 1e6}) {
    for (const double each : {8.0, 64.0, 512.0}) {
      const double exact = double{cost.call} + elements * double{cost.element} + elements * each * double{cost.product};
      result.push_back({elements, elements * each, exact * (1 + noise * (2 * random.unit() - 1))});
    }
  }
  return result;
}

}  // namespace

TEST_CASE("the cost of a weight is separated from that of its products, where rows are many and few", "[quantize]") {
  const KernelCost cost{200, 0.1f, 0.006f, 0.02f};
  std::vector<KernelTime> result;
  for (const double rows : {1.0, 4.0, 64.0}) {
    for (const double columns : {64.0, 512.0, 1024.0}) {
      const double elements = rows * columns, products = elements * columns, weights = columns * columns;
      const double exact = double{cost.call} + elements * double{cost.element} + products * double{cost.product} +
                           weights * double{cost.weight};
      result.push_back({elements, products, exact, weights});
    }
  }
  const KernelCost found = fit_kernel_cost(result);
  CHECK(found.call == Approx(cost.call).margin(0.1));
  CHECK(found.product == Approx(cost.product).epsilon(1e-3));
  CHECK(found.weight == Approx(cost.weight).epsilon(1e-3));
}

TEST_CASE("a cost is found again", "[quantize]") {
  for (const KernelCost cost : {KernelCost{4000, 0.2f, 0.0135f}, KernelCost{0, 0.5f, 0}, KernelCost{700, 0, 0.01f}}) {
    const KernelCost found = fit_kernel_cost(times(cost));
    CHECK(found.call == Approx(cost.call).margin(0.01));
    CHECK(found.element == Approx(cost.element).margin(1e-6));
    CHECK(found.product == Approx(cost.product).margin(1e-8));
  }
  const KernelCost near = fit_kernel_cost(times({4000, 0.2f, 0.0135f}, 0.05));
  CHECK(near.call == Approx(4000).epsilon(0.1));
  CHECK(near.product == Approx(0.0135).epsilon(0.05));
}

TEST_CASE("no part of a cost is negative", "[quantize]") {
  // Larger ones take less: only the call is left.
  const std::vector<KernelTime> falling{{1000, 0, 5000}, {2000, 0, 4000}, {4000, 0, 3000}};
  const KernelCost cost = fit_kernel_cost(falling);
  CHECK(cost.element == 0);
  CHECK(cost.product == 0);
  CHECK(cost.call > 3000);
  CHECK(cost.call < 5000);
  // A line that starts below zero goes through zero instead.
  const std::vector<KernelTime> steep{{1000, 0, 1000}, {2000, 0, 10000}, {4000, 0, 30000}};
  CHECK(fit_kernel_cost(steep).call == 0);
  CHECK(fit_kernel_cost(steep).element > 1);
}

TEST_CASE("times of which no cost can be made are refused", "[quantize]") {
  std::vector<KernelTime> few(2, {1, 1, 1});
  CHECK_THROWS_WITH(fit_kernel_cost(few), "expected at least 3 times for a cost, found 2");
  CHECK_THROWS_WITH(fit_kernel_cost(std::vector<KernelTime>{{1, 1, 1, 1}, {2, 1, 3, 2}, {1, 3, 4, 5}}),
                    "expected at least 4 times for a cost of weights, found 3");
  few.push_back({1, 1, std::nan("")});
  CHECK_THROWS_AS(fit_kernel_cost(few), Error);
  few.back().nanoseconds = -1;
  CHECK_THROWS_AS(fit_kernel_cost(few), Error);
}
