#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <graft/graph/error.hpp>
#include <graft/session/session_bench.hpp>
#include <graft/testing/random.hpp>

/// A runtime whose times are made up: what a configuration takes, times the state of the machine, times noise of the
/// session and of the block. Its clock goes by what is timed.
class MadeUpBench final : public graft::SessionBench {
 public:
  explicit MadeUpBench(std::function<double(const graft::SessionConfig&)> takes, double noise = 0.05,
                       std::uint64_t seed = 1)
      : takes_(std::move(takes)), noise_(noise), random_(seed) {}

  std::function<double(double)> machine = [](double) { return 1.0; };  ///< by seconds on the clock
  double session_noise = 0;                                            ///< as a session is opened
  double later_session = 1;                                ///< times what those take that are not opened first
  std::set<std::string> refused{}, failing{}, changing{};  ///< options, by name
  std::multiset<graft::SessionConfig> open_now{};
  std::size_t max_at_once = 0;
  std::vector<graft::SessionConfig> opened{}, timed{};  ///< in their order
  /// What was done, in its order, with what: 'o'pened, 't'imed, 'c'losed.
  std::vector<std::pair<char, graft::SessionConfig>> log{};

  graft::OutputDifference open(const graft::SessionConfig& config) override {
    if (has(config, refused)) throw graft::Error("not this one");
    offsets_[config] = noise(session_noise) * (open_now.empty() ? 1 : later_session);
    open_now.insert(config);
    opened.push_back(config);
    log.emplace_back('o', config);
    max_at_once = std::max(max_at_once, open_now.size());
    clock_ += 0.1;
    return has(config, changing) ? graft::OutputDifference{0.5, "y"} : graft::OutputDifference{1e-6, "y"};
  }
  double time(const graft::SessionConfig& config) override {
    if (open_now.count(config) != 1) throw graft::Error("is not open once: " + graft::to_string(config));
    timed.push_back(config);
    log.emplace_back('t', config);
    if (has(config, failing)) throw graft::Error("a run failed");
    const double took = takes_(config) * machine(clock_) * offsets_.at(config) * noise(noise_);
    clock_ += took;
    return took;
  }
  void close(const graft::SessionConfig& config) override {
    open_now.erase(config);
    log.emplace_back('c', config);
  }
  double elapsed() const override { return clock_; }

 private:
  double noise(double width) {
    const double u = random_.unit() + random_.unit() - 1;
    return std::exp(u * width);
  }
  static bool has(const graft::SessionConfig& config, const std::set<std::string>& names) {
    for (const auto& [name, value] : config)
      if (names.count(name) != 0) return true;
    return false;
  }

  std::function<double(const graft::SessionConfig&)> takes_;
  double noise_, clock_ = 0;
  std::map<graft::SessionConfig, double> offsets_{};
  graft::Random random_;
};
