#pragma once
#include <graft/quantize/tune/detail/knapsack.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>

#include <graft/config.hpp>

namespace graft::inline v1::detail {

/// The point of a merge: one of those before, and a choice of the new item.
struct MergedPoint {
  double cost, loss;
  std::size_t before, choice;
};

/// Those that no other point beats, by cost; at most max_points, one of each interval of costs.
inline std::vector<MergedPoint> best_points(std::vector<MergedPoint> points, double budget, std::size_t max_points) {
  std::ranges::sort(points, [](const MergedPoint& a, const MergedPoint& b) {
    return std::tie(a.cost, a.loss, a.before, a.choice) < std::tie(b.cost, b.loss, b.before, b.choice);
  });
  std::vector<MergedPoint> best;
  for (const MergedPoint& point : points)
    if (best.empty() || point.loss < best.back().loss) best.push_back(point);
  if (best.size() <= max_points) return best;
  const auto interval = [&](const MergedPoint& point) {
    return std::ceil(point.cost / budget * static_cast<double>(max_points - 1));
  };
  std::vector<MergedPoint> thinned;  // losses fall with costs: the last point of an interval is its best
  for (const MergedPoint& point : best)
    if (!thinned.empty() && interval(thinned.back()) == interval(point)) thinned.back() = point;
    else thinned.push_back(point);
  return thinned;
}

GRAFT_INLINE KnapsackFrontier knapsack_frontier(const std::vector<std::vector<KnapsackChoice>>& items, double budget,
                                                std::size_t max_points) {
  double least_left = 0;  // what the items that follow cost at least
  const auto least = [](const std::vector<KnapsackChoice>& choices) {
    double cost = std::numeric_limits<double>::infinity();
    for (const KnapsackChoice& choice : choices) cost = std::min(cost, choice.cost);
    return cost;
  };
  for (const std::vector<KnapsackChoice>& choices : items) least_left += least(choices);
  std::vector<std::vector<MergedPoint>> merges{{{0, 0, 0, 0}}};
  for (const std::vector<KnapsackChoice>& choices : items) {
    least_left = std::max(0.0, least_left - least(choices));
    const std::vector<MergedPoint>& before = merges.back();
    std::vector<MergedPoint> points;
    for (std::size_t i = 0; i < before.size(); ++i)
      for (std::size_t choice = 0; choice < choices.size(); ++choice) {
        const double cost = before[i].cost + choices[choice].cost;
        if (cost + least_left <= budget * (1 + 1e-12))
          points.push_back({cost, before[i].loss + choices[choice].loss, i, choice});
      }
    merges.push_back(best_points(std::move(points), budget, max_points));
  }
  KnapsackFrontier frontier;
  for (std::size_t i = 0; i < merges.back().size(); ++i) {
    const MergedPoint& last = merges.back()[i];
    if (last.cost > budget) continue;
    std::vector<std::size_t> chosen(items.size());
    std::size_t place = i;
    for (std::size_t item = items.size(); item-- > 0;) {
      const MergedPoint& point = merges[item + 1][place];
      chosen[item] = point.choice;
      place = point.before;
    }
    frontier.points.push_back({last.cost, last.loss, std::move(chosen)});
  }
  return frontier;
}

GRAFT_INLINE std::optional<std::vector<std::size_t>> solve_knapsack(
    const std::vector<std::vector<KnapsackChoice>>& items, double budget) {
  KnapsackFrontier frontier = knapsack_frontier(items, budget);
  if (frontier.points.empty()) return std::nullopt;
  return std::move(frontier.points.back().chosen);
}

}  // namespace graft::inline v1::detail
