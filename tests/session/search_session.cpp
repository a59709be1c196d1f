// The search on made-up times.
#include <graft/session/search_session.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "session/made_up_bench.hpp"

using namespace graft;

namespace {

const std::string spinning = "session.intra_op.allow_spinning", threads = "intra_op_num_threads",
                  arena = "enable_cpu_mem_arena", plans = "enable_mem_pattern", level = "graph_optimization_level",
                  mode = "execution_mode", affinities = "session.intra_op_thread_affinities";

bool has(const SessionConfig& config, const std::string& name, const std::string& value) {
  const auto found = config.find(name);
  return found != config.end() && found->second == value;
}

std::vector<SearchedOption> flags() {
  return {SearchedOption::of(threads, {"1", "2", "4"}), SearchedOption::of(spinning, {"0"}),
          SearchedOption::of(arena, {"0"}), SearchedOption::of(plans, {"0"})};
}

/// Without spinning a fifth less, with one thread twice as much, without the arena a little more.
double by_options(const SessionConfig& config) {
  return 0.05 * (has(config, spinning, "0") ? 0.8 : 1) * (has(config, threads, "1") ? 2 : 1) *
         (has(config, arena, "0") ? 1.03 : 1);
}
double always_the_same(const SessionConfig&) { return 0.05; }

const SessionTrial* trial_of(const TuneResult& result, const SessionConfig& config) {
  const auto found = std::find_if(result.trials.begin(), result.trials.end(),
                                  [&](const SessionTrial& trial) { return trial.config == config; });
  return found == result.trials.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("a search finds the option that is truly better, in noise") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    MadeUpBench bench(by_options, 0.1, seed);
    const TuneResult result = search_session_options(bench, flags(), {.budget = 200});
    CHECK(has(result.chosen, spinning, "0"));
    CHECK_FALSE(has(result.chosen, threads, "1"));
    CHECK(result.is_faster());
    CHECK(result.confirmed.ratio == Approx(0.8).epsilon(0.05));
    CHECK(result.confirmed.pairs >= 12);
    CHECK(result.times_of_candidate.size() == result.confirmed.pairs);
    CHECK(result.untried.empty());
    CHECK(bench.open_now.empty());
  }
}

TEST_CASE("a search keeps the default where nothing is better") {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    MadeUpBench bench(always_the_same, 0.2, seed);
    found += search_session_options(bench, flags(), {.budget = 200}).is_faster();
  }
  CHECK(found <= 6);  // of 200, some by chance
}

TEST_CASE("sessions that differ without a reason show no gain and no loss") {
  // By up to 3 percent as they are opened, and by 2 percent where they are not the first: far beyond the blocks' noise.
  int gains = 0, losses = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    MadeUpBench bench(always_the_same, 0.005, seed);
    bench.session_noise = 0.03;
    bench.later_session = 1.02;
    const PairedRatio ratio = search_session_options(bench, {}, {.start = {{arena, "0"}}}).confirmed;
    gains += ratio.is_faster();
    losses += ratio.is_slower();
  }
  CHECK(gains <= 6);  // 2 are expected at a confidence of 0.98
  CHECK(losses <= 6);
}

TEST_CASE("pairs are added until the interval is narrow") {
  const auto compared = [](double noise, const SearchOptions& options) {
    MadeUpBench bench(always_the_same, 0.0001);
    bench.session_noise = noise;
    return search_session_options(bench, {}, options).confirmed;
  };
  const SearchOptions options{.budget = 1000, .start = {{arena, "0"}}};
  CHECK(compared(0.001, options).pairs == 12);
  const PairedRatio between = compared(0.04, options);
  CHECK(between.pairs > 12);
  CHECK(between.pairs < 48);
  CHECK(between.high <= between.low * 1.02);
  CHECK(compared(0.5, options).pairs == 48);
  CHECK(compared(0.5, {.budget = 0, .start = {{arena, "0"}}}).pairs == 8);  // the fewest that have an interval
}

TEST_CASE("sessions are opened again for each pair of the confirmation, each first in every other one") {
  MadeUpBench bench(always_the_same, 0.001);
  search_session_options(bench, {}, {.start = {{arena, "0"}}});
  REQUIRE(bench.opened.size() == 2 + 2 * 12);
  for (std::size_t pair = 0; pair < 12; ++pair) {
    CHECK(bench.opened[2 + 2 * pair].empty() == (pair % 2 == 0));
    CHECK(bench.opened[3 + 2 * pair].empty() == (pair % 2 == 1));
  }
  CHECK(bench.max_at_once == 2);
}

TEST_CASE("every other pair of the confirmation is the one before with both exchanged") {
  const SessionConfig other{{arena, "0"}};
  MadeUpBench bench(always_the_same, 0.001);
  search_session_options(bench, {}, {.start = other});
  const std::size_t steps = 2 + 2 * 4 + 2;  // of a pair
  REQUIRE(bench.log.size() == 2 + 2 + 12 * steps);
  for (auto pair = bench.log.begin() + 4; pair != bench.log.end(); pair += 2 * steps) {
    std::vector<std::pair<char, SessionConfig>> exchanged(pair, pair + steps);
    for (auto& [what, config] : exchanged) config = config.empty() ? other : SessionConfig();
    CHECK(std::equal(exchanged.begin(), exchanged.end(), pair + steps));
  }
}

TEST_CASE("what is opened later and faster is not a gain where time is short") {
  // Whatever the budget, pairs of either order are as many.
  for (double budget = 0; budget < 7; budget += 0.5) {
    CAPTURE(budget);
    MadeUpBench bench(always_the_same, 0.0001);
    bench.later_session = 0.8;
    const PairedRatio ratio = search_session_options(bench, {}, {.budget = budget, .start = {{arena, "0"}}}).confirmed;
    CHECK(ratio.pairs % 2 == 0);
    CHECK(ratio.ratio == Approx(1).epsilon(0.001));
  }
}

TEST_CASE("an odd number of pairs has one more, so that either order is as frequent") {
  MadeUpBench bench(always_the_same, 0.001);
  const SearchOptions seven{.confirmation_pairs = 7, .start = {{arena, "0"}}};
  CHECK(search_session_options(bench, {}, seven).confirmed.pairs == 8);
}

TEST_CASE("a drift of the machine is in all that run in a round") {
  for (const double slower : {0.02, -0.003}) {  // a second
    CAPTURE(slower);
    const auto drift = [=](double clock) { return std::max(0.2, 1 + clock * slower); };
    MadeUpBench same(always_the_same, 0.02);
    same.machine = drift;
    CHECK(search_session_options(same, flags(), {.budget = 1000}).chosen.empty());
    MadeUpBench better(by_options, 0.02);
    better.machine = drift;
    const TuneResult result = search_session_options(better, flags(), {.budget = 1000});
    CHECK(result.chosen == SessionConfig{{spinning, "0"}});
    CHECK(result.confirmed.ratio == Approx(0.8).epsilon(0.02));
  }
}

TEST_CASE("none of a round is always the first") {
  MadeUpBench bench(always_the_same, 0.001);
  search_session_options(bench, {}, {.start = {{arena, "0"}}});
  REQUIRE(bench.timed.size() == 96);
  std::size_t first = 0, second = 0;
  for (std::size_t round = 0; round < 48; ++round) (bench.timed[2 * round].empty() ? first : second) += 1;
  CHECK(first == 24);
  CHECK(second == 24);

  MadeUpBench three(always_the_same, 0);
  const std::vector<SearchedOption> options{SearchedOption::of(arena, {"0"}), SearchedOption::of(plans, {"0"})};
  search_session_options(three, options, {.rounds = 12, .max_rounds = 12});
  std::size_t firsts = 0;
  for (std::size_t round = 0; round < 12; ++round) firsts += three.timed[2 * round].empty();
  CHECK(firsts == 6);

  // Nor does one always follow the same other one.
  MadeUpBench more(always_the_same);
  const std::vector<SearchedOption> two{SearchedOption::of(threads, {"1", "2"})};
  search_session_options(more, two);
  std::set<std::vector<SessionConfig>> orders;
  for (auto round = more.timed.begin(); orders.size() < 4 && round < more.timed.begin() + 12; round += 3)
    orders.emplace(round, round + 3);
  CHECK(orders.size() == 4);
}

TEST_CASE("a gain that is too small is none") {
  const auto slightly = [](const SessionConfig& config) { return has(config, arena, "0") ? 0.0497 : 0.05; };
  MadeUpBench bench(slightly, 0.001);
  const TuneResult result = search_session_options(bench, flags());
  CHECK(result.chosen.empty());
  CHECK(trial_of(result, {{arena, "0"}})->ratio.is_faster());
  MadeUpBench again(slightly, 0.001);
  CHECK(search_session_options(again, flags(), {.least_gain = 0.001}).chosen == SessionConfig{{arena, "0"}});
}

TEST_CASE("what looked good by chance is not chosen") {
  // Faster as long as it is on trial: the first 12 blocks of it.
  int blocks = 0;
  MadeUpBench bench([&](const SessionConfig& config) { return config.empty() || ++blocks > 12 ? 0.05 : 0.04; }, 0.01);
  const std::vector<SearchedOption> options{SearchedOption::of(arena, {"0"})};
  const TuneResult result = search_session_options(bench, options, {.rounds = 12});
  CHECK(result.candidate == SessionConfig{{arena, "0"}});
  CHECK(result.trials.at(0).verdict == TrialVerdict::adopted);
  CHECK(result.chosen.empty());
  CHECK(result.confirmed.ratio == Approx(1).epsilon(0.02));
}

TEST_CASE("options are searched again where another one has changed what they do") {
  // One thread is better with the optimizations of the default, two are with others, which is best.
  const auto takes = [](const SessionConfig& config) {
    const bool one = has(config, threads, "1"), extended = has(config, level, "extended");
    return extended ? (one ? 0.035 : 0.02) : (one ? 0.04 : 0.05);
  };
  MadeUpBench bench(takes);
  const std::vector<SearchedOption> options{SearchedOption::of(threads, {"1"}),
                                            SearchedOption::of(level, {"extended"})};
  const TuneResult result = search_session_options(bench, options, {.budget = 100});
  CHECK(result.chosen == SessionConfig{{level, "extended"}});
  CHECK(trial_of(result, {{threads, "1"}})->verdict == TrialVerdict::adopted);
  CHECK(result.confirmed.ratio == Approx(0.4).epsilon(0.05));
  std::set<std::pair<SessionConfig, SessionConfig>> pairs;
  for (const SessionTrial& trial : result.trials) CHECK(pairs.insert({trial.config, trial.against}).second);
}

TEST_CASE("an option that no longer applies is not set") {
  const auto takes = [](const SessionConfig& config) {
    return 0.05 - (has(config, threads, "2") ? 0.01 : 0) - (has(config, affinities, "2") ? 0.01 : 0) -
           (has(config, threads, "1") && has(config, level, "basic") ? 0.04 : 0);
  };
  const std::vector<SearchedOption> options{SearchedOption::of(threads, {"1", "2"}),
                                            {affinities,
                                             [](const SessionConfig& config) {
                                               return has(config, threads, "2") ? std::vector<std::string>{"2"}
                                                                                : std::vector<std::string>();
                                             }},
                                            SearchedOption::of(level, {"basic"})};
  MadeUpBench bench(
      [&](const SessionConfig& config) {
        CHECK((!config.contains(affinities) || has(config, threads, "2")));
        return takes(config) * (has(config, level, "basic") ? 0.95 : 1);
      },
      0.001);
  const TuneResult result = search_session_options(bench, options, {.budget = 100});
  CHECK(result.chosen == SessionConfig{{threads, "1"}, {level, "basic"}});
}

TEST_CASE("what looks faster runs until it is beyond noise") {
  // 5 percent, in a noise of up to 40: 8 rounds do not show it.
  const auto slightly = [](const SessionConfig& config) { return has(config, arena, "0") ? 0.0475 : 0.05; };
  std::size_t short_ones = 0, long_ones = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<SearchedOption> options{SearchedOption::of(arena, {"0"})};
    MadeUpBench bench(slightly, 0.2, seed), again(slightly, 0.2, seed);
    const TuneResult result = search_session_options(bench, options, {.max_rounds = 100});
    short_ones += !search_session_options(again, options, {.max_rounds = 8}).candidate.empty();
    long_ones += !result.candidate.empty();
    if (result.trials[0].verdict == TrialVerdict::adopted) CHECK(result.trials[0].ratio.is_faster());
  }
  CHECK(long_ones > short_ones + 5);
}

TEST_CASE("what changes outputs, is refused or fails is reported and not chosen") {
  MadeUpBench bench([](const SessionConfig& config) { return config.empty() ? 0.05 : 0.01; });
  bench.changing = {spinning};
  bench.refused = {arena};
  bench.failing = {plans};
  const std::vector<SearchedOption> options{SearchedOption::of(spinning, {"0"}), SearchedOption::of(arena, {"0"}),
                                            SearchedOption::of(plans, {"0"})};
  std::vector<std::string> seen;
  const TuneResult result = search_session_options(
      bench, options, {.progress = [&](const SessionTrial& trial) { seen.push_back(trial.option); }});
  CHECK(result.chosen.empty());
  CHECK(result.confirmed.pairs == 0);
  CHECK(seen == std::vector<std::string>{spinning, arena, plans});
  REQUIRE(result.trials.size() == 3);
  CHECK(result.trials[0].verdict == TrialVerdict::changes_outputs);
  CHECK(result.trials[0].difference.relative == 0.5);
  CHECK(result.trials[0].times.empty());
  CHECK(result.trials[1].verdict == TrialVerdict::refused);
  CHECK(result.trials[1].reason == "not this one");
  CHECK(result.trials[2].verdict == TrialVerdict::refused);
  CHECK(result.trials[2].reason == "a run failed");
  CHECK(bench.open_now.empty());
  MadeUpBench lenient([](const SessionConfig& config) { return config.empty() ? 0.05 : 0.01; });
  lenient.changing = {spinning};
  const std::vector<SearchedOption> one{SearchedOption::of(spinning, {"0"})};
  CHECK(search_session_options(lenient, one, {.tolerance = 1}).is_faster());
}

TEST_CASE("the budget ends a search, and keeps time for the confirmation") {
  MadeUpBench bench(by_options, 0.02);
  const TuneResult result = search_session_options(bench, flags(), {.budget = 3});
  CHECK(result.seconds < 5);
  CHECK(result.seconds == bench.elapsed());
  CHECK_FALSE(result.untried.empty());
  MadeUpBench none(by_options);
  const TuneResult nothing = search_session_options(none, flags(), {.budget = 0});
  CHECK(nothing.chosen.empty());
  CHECK(nothing.trials.empty());
  CHECK(nothing.untried == std::vector<std::string>{threads, spinning, arena, plans});
}

TEST_CASE("every trial is logged with its rounds, and the same times give the same search") {
  MadeUpBench bench(by_options), again(by_options);
  const TuneResult result = search_session_options(bench, flags(), {.budget = 200});
  const TuneResult twin = search_session_options(again, flags(), {.budget = 200});
  REQUIRE(result.trials.size() == twin.trials.size());
  for (std::size_t i = 0; i < result.trials.size(); ++i) {
    const SessionTrial& trial = result.trials[i];
    CHECK(trial.times == twin.trials[i].times);
    CHECK(trial.times.size() == trial.times_against.size());
    CHECK(trial.times.size() == trial.times_of_default.size());
    const bool looks_faster = trial.ratio.ratio < 0.99;
    if (trial.verdict == TrialVerdict::dropped) CHECK(trial.times.size() == 4);
    else if (!looks_faster) CHECK(trial.times.size() >= 8);
    else CHECK((trial.ratio.is_faster() || trial.times.size() == 24));
    CHECK(trial.ratio.pairs == trial.times.size());
    if (trial.against.empty()) CHECK(trial.times_against == trial.times_of_default);
  }
  const SessionTrial* const one = trial_of(result, {{threads, "1"}});  // of three values
  CHECK(one->verdict == TrialVerdict::dropped);
  CHECK(one->ratio.ratio == Approx(2).epsilon(0.1));
  CHECK(bench.max_at_once <= 5);  // the default, the best, the values of one option
}

TEST_CASE("a configuration is compared with the default where nothing is searched") {
  MadeUpBench bench(by_options);
  const TuneResult result = search_session_options(bench, {}, {.start = {{spinning, "0"}}});
  CHECK(result.chosen == SessionConfig{{spinning, "0"}});
  CHECK(result.confirmed.ratio == Approx(0.8).epsilon(0.03));
  CHECK(result.difference.output == "y");
  CHECK(result.trials.empty());
  CHECK(bench.open_now.empty());
  MadeUpBench slower(by_options);
  const TuneResult one = search_session_options(slower, {}, {.start = {{threads, "1"}}});
  CHECK(one.candidate == SessionConfig{{threads, "1"}});
  CHECK(one.chosen.empty());
  CHECK(one.confirmed.is_slower());
  MadeUpBench changing(by_options);
  changing.changing = {spinning};
  CHECK(search_session_options(changing, {}, {.start = {{spinning, "0"}}}).chosen.empty());
}

TEST_CASE("a search goes on from where it begins, and back to the default of an option") {
  MadeUpBench bench(by_options);
  const TuneResult result = search_session_options(bench, flags(), {.budget = 200, .start = {{threads, "1"}}});
  CHECK(has(result.chosen, spinning, "0"));
  CHECK_FALSE(has(result.chosen, threads, "1"));
}

TEST_CASE("a base takes the place of the runtime's default") {
  const SessionConfig base{{threads, "2"}};
  MadeUpBench bench(by_options);
  const TuneResult result = search_session_options(bench, flags(), {.budget = 200, .base = base});
  CHECK(bench.opened.front() == base);
  CHECK(result.base == base);
  CHECK(result.chosen == SessionConfig{{threads, "2"}, {spinning, "0"}});
  CHECK(result.is_faster());
  for (const SessionConfig& config : bench.timed) CHECK(config.contains(threads));
  CHECK(bench.open_now.empty());

  MadeUpBench same(always_the_same, 0.001);
  const TuneResult kept = search_session_options(same, flags(), {.budget = 200, .base = base});
  CHECK(kept.chosen == base);
  CHECK_FALSE(kept.is_faster());

  MadeUpBench compared(by_options);
  const SearchOptions start{.base = base, .start = {{spinning, "0"}}};
  CHECK(search_session_options(compared, {}, start).chosen == SessionConfig{{threads, "2"}, {spinning, "0"}});
  CHECK(compared.opened[1] == SessionConfig{{threads, "2"}, {spinning, "0"}});
}

TEST_CASE("a search that has left a base's value tries it again") {
  // One thread is better with the optimizations of the default, two are with others, which is best.
  const auto takes = [](const SessionConfig& config) {
    const bool one = has(config, threads, "1"), extended = has(config, level, "extended");
    return extended ? (one ? 0.035 : 0.02) : (one ? 0.04 : 0.05);
  };
  MadeUpBench bench(takes);
  const std::vector<SearchedOption> options{SearchedOption::of(threads, {"1"}),
                                            SearchedOption::of(level, {"extended"})};
  const TuneResult result = search_session_options(bench, options, {.budget = 100, .base = {{threads, "2"}}});
  CHECK(result.chosen == SessionConfig{{threads, "2"}, {level, "extended"}});
}

TEST_CASE("a default that cannot run is an error") {
  MadeUpBench bench([](const SessionConfig& config) -> double {
    if (config.empty()) throw Error("out of memory");
    return 1;
  });
  CHECK_THROWS_WITH(search_session_options(bench, flags()), "out of memory");
}
