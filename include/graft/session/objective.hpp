#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>

namespace graft::inline v1 {

/// The quantity that a search minimizes.
enum class Objective : std::uint8_t {
  mean,        ///< the mean latency of a run
  p50,         ///< its median
  p95,         ///< the 95th percentile of the latency
  throughput,  ///< the time from the start of the first run to the end of the last, divided by the number of runs
};

inline constexpr std::array<std::pair<std::string_view, Objective>, 4> objectives{
    {{"mean", Objective::mean}, {"p50", Objective::p50}, {"p95", Objective::p95},
     {"throughput", Objective::throughput}}};

std::string_view to_string(Objective objective);

/// The q-quantile of values, 0 <= q <= 1, interpolated linearly between neighbours (Hyndman and Fan 1996, definition
/// 7). Throws Error if there are no values.
double quantile(std::vector<double> values, double q);

/// Computes the objective from the latencies of runs and the time from the first start to the last end; all in seconds.
double objective_of(Objective objective, const std::vector<double>& latencies, double wall_time);

}  // namespace graft::inline v1
