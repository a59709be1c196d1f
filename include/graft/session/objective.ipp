#pragma once
#include <graft/session/objective.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::string_view to_string(Objective objective) {
  return std::find_if(objectives.begin(), objectives.end(), [=](const auto& entry) {
           return entry.second == objective;
         })->first;
}

GRAFT_INLINE double quantile(std::vector<double> values, double q) {
  if (values.empty()) throw Error("there are no values");
  std::sort(values.begin(), values.end());
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - std::floor(place)) * (values[above] - values[below]);
}

GRAFT_INLINE double objective_of(Objective objective, const std::vector<double>& latencies, double wall_time) {
  if (latencies.empty()) throw Error("nothing was run");
  const auto runs = static_cast<double>(latencies.size());
  switch (objective) {
    case Objective::mean: return std::accumulate(latencies.begin(), latencies.end(), 0.0) / runs;
    case Objective::p50: return quantile(latencies, 0.5);
    case Objective::p95: return quantile(latencies, 0.95);
    case Objective::throughput: break;
  }
  return wall_time / runs;
}

}  // namespace graft::inline v1
