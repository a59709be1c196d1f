#pragma once
#include <graft/session/search_session.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/session/objective.hpp>

namespace graft::inline v1 {

namespace detail {

class SessionSearch {
 public:
  SessionSearch(SessionBench& bench, std::span<const SearchedOption> options, const SearchOptions& how)
      : bench_(bench), options_(options), how_(how) {
    result_.base = result_.chosen = best_ = how.base;
    for (const auto& [name, value] : how.start) best_ = with_option(std::move(best_), name, value);
  }

  TuneResult run() {
    bench_.open(base());
    if (best_ != base()) result_.difference = bench_.open(best_);
    while (pass()) {
    }
    close_all();
    confirm();
    result_.seconds = bench_.elapsed();
    return std::move(result_);
  }

 private:
  const SessionConfig& base() const { return how_.base; }
  void close_all() {
    bench_.close(best_);
    if (best_ != base()) bench_.close(base());
  }
  bool has_time() const { return bench_.elapsed() < how_.budget * 0.75; }

  /// Whether another option has become part of the best configuration.
  bool pass() {
    bool changed = false;
    for (const SearchedOption& option : options_) {
      if (has_time()) changed |= try_option(option);
      else if (is_first_) result_.untried.push_back(option.name);
    }
    is_first_ = false;
    return changed;
  }

  /// The default value of an option.
  std::string preset(const std::string& name) const {
    const auto set = base().find(name);
    return set == base().end() ? std::string(session_option(name).preset) : set->second;
  }

  /// The configuration with each option that no longer applies set to its default.
  SessionConfig applicable(SessionConfig config, std::string_view changed) const {
    for (const SearchedOption& option : options_) {
      const auto set = config.find(option.name);
      if (set == config.end() || option.name == changed) continue;
      const std::vector<std::string> values = option.values(config);
      if (std::find(values.begin(), values.end(), set->second) == values.end())
        config = with_option(std::move(config), option.name, preset(option.name));
    }
    return config;
  }

  /// The values of an option for the best configuration so far, without those that have run against it already.
  std::vector<SessionTrial> candidates(const SearchedOption& option) {
    std::vector<std::string> values = option.values(best_);
    if (best_.contains(option.name)) values.push_back(preset(option.name));
    std::vector<SessionTrial> trials;
    for (const std::string& value : values) {
      SessionConfig config = applicable(with_option(best_, option.name, value), option.name);
      if (config != base() && config != best_ && met_.insert({best_, config}).second)
        trials.push_back({.option = option.name, .config = std::move(config), .against = best_});
    }
    return trials;
  }

  bool try_option(const SearchedOption& option) {
    std::vector<SessionTrial> trials = candidates(option);
    std::vector<SessionTrial*> alive;
    for (SessionTrial& trial : trials)
      if (opens(trial)) alive.push_back(&trial);
    race(alive);
    SessionTrial* const fastest = fastest_of(alive);
    if (fastest != nullptr) fastest->verdict = TrialVerdict::adopted;
    for (SessionTrial& trial : trials) {
      if (&trial != fastest) bench_.close(trial.config);
      if (how_.progress) how_.progress(trial);
    }
    if (fastest != nullptr) {
      if (best_ != base()) bench_.close(best_);
      best_ = fastest->config;
      result_.difference = fastest->difference;
    }
    std::move(trials.begin(), trials.end(), std::back_inserter(result_.trials));
    return fastest != nullptr;
  }

  bool opens(SessionTrial& trial) {
    try {
      trial.difference = bench_.open(trial.config);
    } catch (const Error& error) {
      refuse(trial, error);
      return false;
    }
    if (trial.difference.relative <= how_.tolerance) return true;
    trial.verdict = TrialVerdict::changes_outputs;
    return false;
  }
  static void refuse(SessionTrial& trial, const Error& error) {
    trial.verdict = TrialVerdict::refused;
    trial.reason = error.what();
  }

  void race(std::vector<SessionTrial*>& alive) {
    for (std::size_t round = 0; round < std::max(how_.rounds, how_.max_rounds) && !alive.empty(); ++round) {
      if (round == (how_.rounds + 1) / 2) halve(alive);
      if (round >= how_.rounds && !is_undecided(alive)) return;
      if (!has_time()) {
        for (SessionTrial* const trial : alive) trial->verdict = TrialVerdict::out_of_time;
        return;
      }
      run_round(alive, round);
    }
  }

  /// Runs the values between the best and the default, forward or backward, each time from another start.
  void run_round(std::vector<SessionTrial*>& alive, std::size_t round) {
    std::vector<SessionConfig> configs{base()};
    for (const SessionTrial* const trial : alive) configs.push_back(trial->config);
    if (best_ != base()) configs.push_back(best_);
    std::map<SessionConfig, double> times;
    std::map<SessionConfig, Error> failures;
    for (const std::size_t place : order(configs.size(), round)) {
      try {
        times[configs[place]] = bench_.time(configs[place]);
      } catch (const Error& error) {
        if (place == 0 || configs[place] == best_) throw;
        failures.emplace(configs[place], error);
      }
    }
    std::erase_if(alive, [&](SessionTrial* trial) {
      const auto failure = failures.find(trial->config);
      if (failure == failures.end()) {
        trial->times.push_back(times.at(trial->config));
        trial->times_against.push_back(times.at(best_));
        trial->times_of_default.push_back(times.at(base()));
        trial->ratio = paired_ratio(trial->times, trial->times_against, how_.confidence);
        return false;
      }
      refuse(*trial, failure->second);
      return true;
    });
  }

  static std::vector<std::size_t> order(std::size_t count, std::size_t round) {
    std::vector<std::size_t> places(count);
    for (std::size_t i = 0; i < count; ++i) places[i] = (i + round / 2) % count;
    if (round % 2 == 1) std::reverse(places.begin(), places.end());
    return places;
  }

  /// Two values are measured to the end, unless one takes 1.5 times as long as the best.
  static void halve(std::vector<SessionTrial*>& alive) {
    std::stable_sort(alive.begin(), alive.end(),
                     [](const SessionTrial* a, const SessionTrial* b) { return a->ratio.ratio < b->ratio.ratio; });
    const std::size_t kept = std::min(alive.size(), std::max<std::size_t>(2, (alive.size() + 1) / 2));
    auto behind = alive.begin() + static_cast<std::ptrdiff_t>(kept);
    while (behind != alive.begin() && (*std::prev(behind))->ratio.ratio > 1.5) --behind;
    for (auto trial = behind; trial != alive.end(); ++trial) (*trial)->verdict = TrialVerdict::dropped;
    alive.erase(behind, alive.end());
  }

  bool is_gain(const PairedRatio& ratio) const { return ratio.is_faster() && ratio.ratio <= 1 - how_.least_gain; }

  /// Whether a value looks faster and may still prove to be. Removes the others.
  bool is_undecided(std::vector<SessionTrial*>& alive) const {
    const auto looks_slow = [&](const SessionTrial* trial) { return trial->ratio.ratio > 1 - how_.least_gain; };
    std::vector<SessionTrial*> fast;
    std::remove_copy_if(alive.begin(), alive.end(), std::back_inserter(fast), looks_slow);
    if (std::all_of(fast.begin(), fast.end(), [](const SessionTrial* trial) { return trial->ratio.is_faster(); }))
      return false;
    alive = std::move(fast);
    return true;
  }

  /// nullptr unless a value is faster than the best so far.
  SessionTrial* fastest_of(const std::vector<SessionTrial*>& alive) const {
    SessionTrial* fastest = nullptr;
    for (SessionTrial* const trial : alive)
      if (is_gain(trial->ratio) && (fastest == nullptr || trial->ratio.ratio < fastest->ratio.ratio)) fastest = trial;
    return fastest;
  }

  /// Whether an interval can exist for this many pairs.
  bool is_enough(std::size_t pairs) const {
    return std::ldexp(1.0, 1 - static_cast<int>(pairs)) <= 1 - how_.confidence;
  }

  /// No wider than from the least gain to an equal loss.
  bool is_narrow(const PairedRatio& ratio) const { return ratio.high <= ratio.low * (1 + 2 * how_.least_gain); }

  /// Fewer pairs if time is short, but enough for an interval, with equally many in either order. The width of the
  /// interval decides whether more pairs follow, not its position: repeated looks at the position would find a
  /// difference by chance.
  void confirm() {
    result_.candidate = best_;
    if (best_ == base()) return;
    PairedRatio& ratio = result_.confirmed;
    for (std::size_t pair = 0; pair < std::max(how_.confirmation_pairs, how_.max_confirmation_pairs); pair += 2) {
      if (is_enough(pair) && bench_.elapsed() >= how_.budget) break;
      if (pair >= how_.confirmation_pairs && is_narrow(ratio)) break;
      time_anew(pair);
      time_anew(pair + 1);
      ratio = paired_ratio(result_.times_of_candidate, result_.times_of_default, how_.confidence);
    }
    if (is_gain(ratio) && result_.difference.relative <= how_.tolerance) result_.chosen = best_;
  }

  /// Every other pair is the one before with both exchanged, from the first opening to the last closing. A session that
  /// is opened later gets other memory, and one that runs first finds other caches. Over two such pairs, neither side
  /// gains by that.
  void time_anew(std::size_t pair) {
    const bool exchanged = pair % 2 == 1;
    const std::array<SessionConfig, 2> both{exchanged ? best_ : base(), exchanged ? base() : best_};
    std::array<std::vector<double>, 2> times;
    for (const SessionConfig& config : both) bench_.open(config);
    for (std::size_t round = 0; round < how_.confirmation_rounds; ++round)
      for (const std::size_t place : order(2, pair / 2 + round)) times[place].push_back(bench_.time(both[place]));
    for (const SessionConfig& config : both) bench_.close(config);
    result_.times_of_default.push_back(quantile(std::move(times[exchanged ? 1 : 0]), 0.5));
    result_.times_of_candidate.push_back(quantile(std::move(times[exchanged ? 0 : 1]), 0.5));
  }

  SessionBench& bench_;
  std::span<const SearchedOption> options_;
  const SearchOptions& how_;
  SessionConfig best_;
  bool is_first_ = true;  // the first pass over the options has not ended
  std::set<std::pair<SessionConfig, SessionConfig>> met_;
  TuneResult result_;
};

}  // namespace detail

GRAFT_INLINE TuneResult search_session_options(SessionBench& bench, std::span<const SearchedOption> options,
                                               const SearchOptions& how) {
  return detail::SessionSearch(bench, options, how).run();
}

}  // namespace graft::inline v1
