#pragma once
#include <cstddef>
#include <optional>
#include <vector>

namespace graft::inline v1::detail {

/// What one item of a knapsack may be. The cost is not negative.
struct KnapsackChoice {
  double cost = 0, loss = 0;
};

/// Points of which none costs less and loses less than another, by cost, and the choice of each item in each.
struct KnapsackFrontier {
  struct Point {
    double cost = 0, loss = 0;
    std::vector<std::size_t> chosen{};
  };
  std::vector<Point> points{};
};

/// All points of one choice for each item that cost at most `budget`, and are best for their cost. Items are merged one
/// after the other (Nemhauser, Ullmann: Discrete dynamic programming and capital allocation, 1969). It is exact while a
/// merge leaves at most max_points; of more, the best of each of max_points equal intervals of costs stays. Empty if
/// nothing fits.
KnapsackFrontier knapsack_frontier(const std::vector<std::vector<KnapsackChoice>>& items, double budget,
                                   std::size_t max_points = 4096);

/// The choice of each item with which the sum of losses is least, and that of costs at most `budget`; nullopt if
/// nothing fits.
std::optional<std::vector<std::size_t>> solve_knapsack(const std::vector<std::vector<KnapsackChoice>>& items,
                                                       double budget);

}  // namespace graft::inline v1::detail
