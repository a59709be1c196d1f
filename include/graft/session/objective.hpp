#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace graft::inline v1 {

/// What a search makes small.
enum class Objective : std::uint8_t {
  mean,        ///< latency of a run
  p50,         ///< its median
  p95,         ///< what 19 of 20 runs do not exceed
  throughput,  ///< the time from the first run's start to the last one's end, for each run
};

inline constexpr std::array<std::pair<std::string_view, Objective>, 4> objectives{
    {{"mean", Objective::mean}, {"p50", Objective::p50}, {"p95", Objective::p95},
     {"throughput", Objective::throughput}}};

std::string_view to_string(Objective objective);

/// The q-quantile of values, 0 <= q <= 1, interpolated linearly between neighbours (Hyndman and Fan 1996, definition
/// 7). Throws Error if there are none.
double quantile(std::vector<double> values, double q);

/// Latencies of runs, and the time in which all of them were made, to the objective; all in seconds.
double objective_of(Objective objective, const std::vector<double>& latencies, double wall_time);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/session/objective.ipp>
#endif
