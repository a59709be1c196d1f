#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <graft/session/paired_ratio.hpp>
#include <graft/session/searched_option.hpp>
#include <graft/session/session_bench.hpp>
#include <graft/session/session_config.hpp>
#include <graft/session/session_trial.hpp>

namespace graft::inline v1 {

struct SearchOptions {
  /// The time limit in seconds; a quarter is kept for the confirmation. Started measurements are finished, so that a
  /// search may take a little longer.
  double budget = 60;
  /// The number of rounds in which the values of an option run beside the best so far and the default. Values that look
  /// faster, but not beyond noise, continue up to the maximum.
  std::size_t rounds = 8, max_rounds = 24;
  /// The number of times that the best configuration and the default are opened for the confirmation, and the rounds
  /// that they then run. Several sessions are needed because their speeds differ even with the same options. More pairs
  /// follow, up to the maximum and within the time limit, until the interval is no wider than twice the least gain. Odd
  /// numbers are rounded up.
  std::size_t confirmation_pairs = 12, max_confirmation_pairs = 48, confirmation_rounds = 4;
  /// The confidence of the intervals. At 0.98, one of 100 configurations that are not faster looks faster by chance.
  double confidence = 0.98;
  /// The least gain that counts: 0.01 is one percent of the time.
  double least_gain = 0.01;
  /// Configurations with a larger OutputDifference are rejected.
  double tolerance = 1e-4;
  /// The default: the configuration for comparison, returned if no other is faster.
  SessionConfig base{};
  /// Changes to the base at the start of the search. With no options to search, this configuration is compared with the
  /// default.
  SessionConfig start{};
  /// Called with each trial after its end.
  std::function<void(const SessionTrial&)> progress{};
};

struct TuneResult {
  SessionConfig base;             ///< the default
  SessionConfig chosen;           ///< the default, unless the candidate is faster than it beyond noise
  SessionConfig candidate;        ///< the best configuration of the trials
  OutputDifference difference{};  ///< that of the candidate
  /// The ratio of the candidate's time to the default's, in new sessions. 1 if they are the same.
  PairedRatio confirmed{};
  std::vector<double> times_of_candidate{}, times_of_default{};  ///< the median of each session's rounds, in seconds
  std::vector<SessionTrial> trials{};
  std::vector<std::string> untried{};  ///< options that were not tried for lack of time
  double seconds = 0;

  bool is_faster() const { return chosen != base; }
};

/// Tries one option after the other. Its values, the best configuration so far and the default take turns in rounds,
/// each in another order. So a drift of the machine changes all of them. Halfway, if there are three values or more,
/// the slower half is dropped (successive halving, Jamieson and Talwalkar 2016). So is any value that takes 1.5 times
/// as long as the best so far. The fastest value becomes the best so far if the interval of its ratio is below 1. The
/// search repeats this until nothing changes or the time limit is reached.
///
/// Then the best configuration runs against the default once more, in new sessions for each pair of times. Every other
/// pair is the one before with both exchanged, so that both orders are equally frequent. Only these pairs decide: among
/// many trials some look good by chance, and the memory addresses of a session change its speed.
TuneResult search_session_options(SessionBench& bench, std::span<const SearchedOption> options,
                                  const SearchOptions& how = {});

}  // namespace graft::inline v1
