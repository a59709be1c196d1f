#include <graft/quantize/tune/detail/knapsack.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

using namespace graft;
using detail::KnapsackChoice;

namespace {

using Items = std::vector<std::vector<KnapsackChoice>>;

Items random_items(std::mt19937& random, std::size_t count, std::size_t choices, bool is_integral) {
  std::uniform_real_distribution<double> number(0, 10);
  Items items(count);
  for (auto& item : items)
    for (std::size_t i = 0; i < choices; ++i) {
      const double cost = number(random), loss = number(random);
      item.push_back({is_integral ? std::floor(cost) : cost, is_integral ? std::floor(loss) : loss});
    }
  return items;
}

/// The least loss within the budget, by trying everything; infinity if nothing fits.
double least_loss(const Items& items, double budget, std::size_t item = 0) {
  if (budget < 0) return std::numeric_limits<double>::infinity();
  if (item == items.size()) return 0;
  double least = std::numeric_limits<double>::infinity();
  for (const KnapsackChoice& choice : items[item])
    least = std::min(least, choice.loss + least_loss(items, budget - choice.cost, item + 1));
  return least;
}

KnapsackChoice sum(const Items& items, const std::vector<std::size_t>& chosen) {
  KnapsackChoice total;
  for (std::size_t i = 0; i < items.size(); ++i) {
    total.cost += items[i][chosen[i]].cost;
    total.loss += items[i][chosen[i]].loss;
  }
  return total;
}

}  // namespace

TEST_CASE("a knapsack has the least loss of all within the budget", "[quantize]") {
  std::mt19937 random(5);
  for (std::size_t trial = 0; trial < 200; ++trial) {
    const Items items = random_items(random, 1 + trial % 5, 1 + trial % 4, trial % 2 == 0);
    const double budget = 0.5 + static_cast<double>(trial % 37);
    const std::optional<std::vector<std::size_t>> chosen = detail::solve_knapsack(items, budget);
    const double least = least_loss(items, budget);
    REQUIRE(chosen.has_value() == std::isfinite(least));
    if (!chosen) continue;
    CHECK(sum(items, *chosen).cost <= budget);
    CHECK(sum(items, *chosen).loss == Approx(least));
  }
}

TEST_CASE("a knapsack with fewer points stays within the budget, and near to the best", "[quantize]") {
  std::mt19937 random(6);
  const Items items = random_items(random, 40, 6, false);
  for (const double budget : {80.0, 120.0, 200.0}) {
    const auto best = detail::knapsack_frontier(items, budget, 100000).points.back();
    const auto few = detail::knapsack_frontier(items, budget, 256).points.back();
    CHECK(sum(items, few.chosen).cost <= budget);
    CHECK(sum(items, few.chosen).loss == Approx(few.loss));
    CHECK(few.loss >= best.loss);
    CHECK(few.loss < best.loss + 1);
  }
}

TEST_CASE("points of a frontier cost more and lose less, one after the other", "[quantize]") {
  std::mt19937 random(7);
  const auto points = detail::knapsack_frontier(random_items(random, 6, 5, true), 40).points;
  REQUIRE(points.size() > 2);
  for (std::size_t i = 1; i < points.size(); ++i) {
    CHECK(points[i].cost > points[i - 1].cost);
    CHECK(points[i].loss < points[i - 1].loss);
  }
}
