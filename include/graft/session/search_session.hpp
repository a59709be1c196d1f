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
  /// Seconds; a quarter is kept for the confirmation. What has begun is ended, so that it may take a little longer.
  double budget = 60;
  /// In which the values of an option run beside the best so far and the default. Those that look faster, but not yet
  /// beyond noise, run on to the most.
  std::size_t rounds = 8, most_rounds = 24;
  /// How often both what was found and the default are opened again for the confirmation, and in how many rounds they
  /// then run: one session of a model is faster than another one of the same options. More pairs follow, up to the
  /// most and while there is time, until the interval is no wider than twice the least gain. Odd numbers of pairs are
  /// rounded up.
  std::size_t confirmation_pairs = 12, most_confirmation_pairs = 48, confirmation_rounds = 4;
  /// Of the intervals. At 0.98 one of 100 configurations that are no faster looks faster by chance.
  double confidence = 0.98;
  /// What counts as a gain: 0.01 is one percent of the time.
  double least_gain = 0.01;
  /// A larger OutputDifference rejects a configuration.
  double tolerance = 1e-4;
  /// The default: what is compared with, and returned where nothing is faster.
  SessionConfig base{};
  /// What is set beside the base where the search begins. With no options to search, this is compared with the default.
  SessionConfig start{};
  /// Sees each trial when it has ended.
  std::function<void(const SessionTrial&)> progress{};
};

struct TuneResult {
  SessionConfig base;             ///< the default
  SessionConfig chosen;           ///< the default, unless the candidate is faster than it beyond noise
  SessionConfig candidate;        ///< what the trials led to
  OutputDifference difference{};  ///< of the candidate
  /// The candidate's to the default's time, of sessions that no trial has seen. 1 where they are the same.
  PairedRatio confirmed{};
  std::vector<double> times_of_candidate{}, times_of_default{};  ///< medians of those sessions' rounds, in seconds
  std::vector<SessionTrial> trials{};
  std::vector<std::string> untried{};  ///< options for which there was no time
  double seconds = 0;

  bool is_faster() const { return chosen != base; }
};

/// Tries one option after the other: its values, the best configuration so far and the default take turns in rounds,
/// each round in another order, so that a drift of the machine is in all of them. Half-way the slower half of three
/// values or more is dropped (successive halving, Jamieson and Talwalkar 2016), and what takes half as long again as
/// the best so far. The fastest becomes the best so far if the interval of its ratio is below 1. This is repeated until
/// nothing changes or the budget is spent. Then what was found runs against the default once more, in sessions that are
/// opened anew for each pair of times; every other pair is the one before with both exchanged, and there are as many of
/// either order. Only these pairs decide: among many trials some look good by chance, and one session may be faster
/// than another one for where its memory lies.
TuneResult search_session_options(SessionBench& bench, std::span<const SearchedOption> options,
                                  const SearchOptions& how = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/session/search_session.ipp>
#endif
