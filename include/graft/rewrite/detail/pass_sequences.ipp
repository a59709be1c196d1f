#pragma once
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

namespace detail {

/// Runs passes one after the other.
class Sequence {
 public:
  explicit Sequence(std::vector<Pass> steps) : steps_(std::move(steps)) {
    for (const Pass& step : steps_) name_ += (name_.empty() ? "" : " | ") + step.name();
  }

  std::string_view name() const { return name_; }
  std::span<const Pass> steps() const { return steps_; }

  Report run(Graph& graph, Context& context) const {
    Report report;
    for (const Pass& step : steps_) {
      if (context.is_cancelled()) report.outcome = Outcome::cancelled;
      if (report.outcome == Outcome::cancelled) break;
      context.report_progress(Progress{step.name(), report.steps.size(), steps_.size()});
      report.add(step.run(graph, context));
    }
    return report;
  }

  /// The needs that no earlier step provides.
  std::vector<Need> needs() const {
    std::vector<Need> open;
    std::vector<Provision> provided;
    for (const Pass& step : steps_) {
      for (const Need& need : step.needs()) {
        const auto serves = [&](const Provision& provision) { return provision.serves(need); };
        if (std::ranges::none_of(provided, serves)) open.push_back(need);
      }
      provided.insert(provided.end(), step.provides().begin(), step.provides().end());
    }
    return open;
  }
  std::vector<Provision> provides() const {
    std::vector<Provision> provided;
    for (const Pass& step : steps_) provided.insert(provided.end(), step.provides().begin(), step.provides().end());
    return provided;
  }
  Preserved preserved() const { return Preserved::all(); }  // each step drops unpreserved facts itself

 private:
  std::vector<Pass> steps_;
  std::string name_;
};

/// Repeats a pass until it changes nothing.
class Repetition {
 public:
  explicit Repetition(Pass body) : body_(std::move(body)), name_("fixpoint(" + body_.name() + ")") {}

  std::string_view name() const { return name_; }
  std::vector<Need> needs() const { return body_.needs(); }
  std::vector<Provision> provides() const { return body_.provides(); }
  Preserved preserved() const { return Preserved::all(); }

  Report run(Graph& graph, Context& context) const {
    constexpr std::size_t max_rounds = 100;
    const auto start = std::chrono::steady_clock::now();
    std::set<std::pair<std::string, std::string>> told;
    Report report;
    do {
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
      if (report.steps.size() == max_rounds || spent.count() > context.budget.seconds) {
        report.outcome = std::max(report.outcome, Outcome::budget);
        break;
      }
      Report round = body_.run(graph, context);
      drop_told(round, told);
      report.add(std::move(round));
    } while (report.converged() && report.steps.back().changes != 0);
    return report;
  }

 private:
  /// Removes notes that an earlier round already made.
  static void drop_told(Report& round, std::set<std::pair<std::string, std::string>>& told) {
    std::erase_if(round.notes, [&](const std::string& note) { return !told.emplace(round.pass, note).second; });
    for (Report& step : round.steps) drop_told(step, told);
  }

  Pass body_;
  std::string name_;
};

GRAFT_INLINE Pass with_arguments(const Pass& inner, std::vector<Argument> arguments) {
  return around(inner, [arguments = std::move(arguments)](const Pass& bound, Graph& graph, Context& context) {
    struct Scope {
      Context& shared;
      std::size_t count;
      ~Scope() { shared.arguments.resize(count); }
    } scope{context, context.arguments.size()};
    context.arguments.insert(context.arguments.end(), arguments.begin(), arguments.end());
    return bound.run(graph, context);
  });
}

}  // namespace detail

GRAFT_INLINE Pass operator|(const Pass& first, const Pass& second) {
  std::vector<Pass> steps;
  for (const Pass* const side : {&first, &second}) {
    const std::span<const Pass> parts = side->steps();
    if (parts.empty()) {
      steps.push_back(*side);
    } else {
      steps.insert(steps.end(), parts.begin(), parts.end());
    }
  }
  return Pass(detail::Sequence(std::move(steps)));
}

GRAFT_INLINE Pass fixpoint(const Pass& body) { return Pass(detail::Repetition(body)); }

}  // namespace graft::inline v1
