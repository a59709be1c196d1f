#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/evaluate/node_executor.hpp>
#include <graft/graph/print.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/intent.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/testing/detail/faults.hpp>
#include <graft/testing/detail/specimen.hpp>
#include <graft/testing/equivalent.hpp>
#include <graft/testing/isomorphic.hpp>
#include <graft/testing/test_result.hpp>
#include <graft/testing/text.hpp>

namespace graft::inline v1 {

/// One run of a pass over a copy of a graph.
struct Run {
  Model model;  // as the pass left it
  Report report{};
  std::string error{};  // what it threw; empty if it did not
  bool changed = false;
  bool untouched = false;  // the model is the one that was given, byte for byte
  std::vector<std::string> problems{};  // what verify() holds against the changed model

  /// Why nothing was changed, as the pass reports.
  std::vector<std::string> reasons() const {
    std::vector<std::string> all;
    if (!error.empty()) all.push_back(error);
    std::vector<const Report*> open{&report};
    for (std::size_t i = 0; i < open.size(); ++i) {
      for (const Refusal& refusal : open[i]->refusals) all.push_back(refusal.node + ": " + refusal.why);
      for (const std::string& note : open[i]->notes) all.push_back(note);
      for (const Report& step : open[i]->steps) open.push_back(&step);
    }
    return all;
  }
  std::vector<std::string> warnings() const {
    std::vector<std::string> all;
    std::vector<const Report*> open{&report};
    for (std::size_t i = 0; i < open.size(); ++i) {
      all.insert(all.end(), open[i]->warnings.begin(), open[i]->warnings.end());
      for (const Report& step : open[i]->steps) open.push_back(&step);
    }
    return all;
  }
};

/// A pass, or a rule, and a graph to try it on. Every check runs it on a fresh copy of the graph and holds that: it
/// does not throw; it converges; the signature of the graph stays, unless the rule says otherwise; verify() finds
/// nothing in the result that it did not find before; where it reports no change there is none, byte for byte.
class Trial {
 public:
  Trial(detail::Specimen specimen, Pass pass, const Intent& intent, Context context)
      : specimen_(std::move(specimen)), pass_(std::move(pass)), intent_(intent), context_(std::move(context)) {}

  /// The names, number and order of inputs and outputs may change.
  Trial changes_signature() const {
    Trial trial = *this;
    trial.intent_.signature = true;
    return trial;
  }

  /// The graph becomes one isomorphic to the expected one.
  TestResult becomes(const Model& expected) const {
    const Run run = this->run();
    if (auto fault = fault_of(run)) return fail(*fault, run);
    const TestResult same = isomorphic(run.model, expected, {"the result", "what was expected"});
    if (same) return same;
    return fail(run.changed ? same.message() : "nothing was changed" + because(run) + "; " + same.message(), run);
  }
  TestResult becomes(std::string_view expected) const { return becomes(graft::graph(expected)); }

  /// The graph stays as it is, and one of the reasons, or the Error that is thrown, contains that text.
  TestResult refuses(std::string_view reason = {}) const {
    const Run run = this->run();
    if (run.error.empty()) {
      if (auto fault = fault_of(run)) return fail(*fault, run);
    }
    if (run.changed) return fail("it was not refused", run);
    if (!run.untouched) return fail("it was refused, and the graph is another one than before", run);
    const std::vector<std::string> reasons = run.reasons();
    if (reasons.empty())
      return fail("nothing was tried: there is no node that it may begin at" + because(run), run);
    for (const std::string& given : reasons)
      if (given.find(reason) != std::string::npos) return TestResult::pass();
    return TestResult::fail("no reason contains '" + std::string(reason) + "'" + because(run));
  }

  /// The graph changes, and gives the same outputs as before.
  TestResult equivalent(const Equivalence& how = {}) const {
    const Run run = this->run();
    if (auto fault = fault_of(run)) return fail(*fault, run);
    if (!run.changed) return fail("nothing was changed" + because(run), run);
    const TestResult same = graft::equivalent(specimen_.copy().graph(), run.model.graph(), how);
    return same ? same : fail(same.message(), run);
  }

  /// A second run changes nothing.
  TestResult idempotent() const {
    Run first = run();
    if (auto fault = fault_of(first)) return fail(*fault, first);
    const Trial again(specimen_.with(first.model.commit()), pass_, intent_, context_);
    const Run second = again.run();
    if (auto fault = again.fault_of(second)) return again.fail(*fault, second);
    if (second.changed || !second.untouched) return again.fail("a second run changes the graph again", second);
    return TestResult::pass();
  }

  /// The run comes to its end: within its budget, and no rules that undo each other.
  TestResult converges() const {
    const Run run = this->run();
    if (auto fault = fault_of(run)) return fail(*fault, run);
    return TestResult::pass();
  }

  /// Nothing is left behind that was not there: nodes without effect, initializers without use, types for values that
  /// are gone.
  TestResult tidy() const {
    const Run run = this->run();
    if (auto fault = fault_of(run)) return fail(*fault, run);
    const auto left = detail::first_new(detail::litter(specimen_.copy()), detail::litter(run.model));
    return left ? fail("it leaves behind " + *left, run) : TestResult::pass();
  }

  const Pass& pass() const { return pass_; }
  const detail::Specimen& specimen() const { return specimen_; }
  /// The same on another graph.
  Trial on(onnx::ModelProto proto) const {
    Trial trial = *this;
    trial.specimen_ = specimen_.with(std::move(proto));
    return trial;
  }

  Run run() const {
    Run run{specimen_.copy()};
    Context context = context_;
    context.refusals = true;
    const std::string before = run.model.serialize();
    try {
      run.report = pass_.run(run.model, context);
    } catch (const Error& error) {
      run.error = error.what();
    }
    run.untouched = run.model.serialize() == before;
    run.changed = run.error.empty() ? run.report.changes != 0 : !run.untouched;
    if (!run.untouched) run.problems = detail::problems(run.model);
    return run;
  }

  /// What is wrong with a run, whatever it was to do.
  std::optional<std::string> fault_of(const Run& run) const {
    const std::string name = "'" + pass_.name() + "'";
    if (!run.error.empty()) return name + " throws: " + run.error;
    if (!run.report.converged()) {
      return name + " does not converge: " + std::string(to_string(run.report.outcome)) + " after " +
             std::to_string(run.report.changes) + " changes";
    }
    if (!run.changed) {
      if (run.untouched) return std::nullopt;
      return name + " reports no change, and has made some";
    }
    Model before = specimen_.copy();
    if (!intent_.signature) {
      if (auto difference = detail::signature_difference(before.graph(), run.model.graph())) return difference;
    }
    return detail::first_new(detail::problems(before), run.problems);
  }

 private:
  static std::string because(const Run& run) {
    std::string text;
    for (const std::string& reason : run.reasons()) text += (text.empty() ? ": " : "\n  ") + reason;
    for (const std::string& warning : run.warnings())
      text += (text.empty() ? ": warning: " : "\n  warning: ") + warning;
    return text;
  }
  static std::string printed(const Graph& graph) {
    constexpr std::size_t most_nodes = 100;
    return graph.nodes().size() > most_nodes ? std::to_string(graph.nodes().size()) + " nodes\n" : to_string(graph);
  }
  TestResult fail(const std::string& why, const Run& run) const {
    std::string text = why + "\ngiven " + printed(specimen_.copy().graph());
    if (!run.untouched) text += pass_.name() + " makes of it " + printed(run.model.graph());
    return TestResult::fail(std::move(text));
  }

  detail::Specimen specimen_;
  Pass pass_;
  Intent intent_;
  Context context_;
};

}  // namespace graft::inline v1
