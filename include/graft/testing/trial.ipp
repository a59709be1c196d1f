#pragma once
#include <graft/testing/trial.hpp>

#include <cstddef>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/print.hpp>
#include <graft/testing/isomorphic.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::vector<std::string> Run::reasons() const {
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

GRAFT_INLINE std::vector<std::string> Run::warnings() const {
  std::vector<std::string> all;
  std::vector<const Report*> open{&report};
  for (std::size_t i = 0; i < open.size(); ++i) {
    all.insert(all.end(), open[i]->warnings.begin(), open[i]->warnings.end());
    for (const Report& step : open[i]->steps) open.push_back(&step);
  }
  return all;
}

GRAFT_INLINE Trial Trial::changes_signature() const {
  Trial trial = *this;
  trial.intent_.signature = true;
  return trial;
}

GRAFT_INLINE TestResult Trial::becomes(const Model& expected) const {
  const Run run = this->run();
  if (auto fault = fault_of(run)) return fail(*fault, run);
  const TestResult same = isomorphic(run.model, expected, {"the result", "what was expected"});
  if (same) return same;
  return fail(run.changed ? same.message() : "nothing was changed" + because(run) + "; " + same.message(), run);
}

GRAFT_INLINE TestResult Trial::refuses(std::string_view reason) const {
  const Run run = this->run();
  if (run.error.empty()) {
    if (auto fault = fault_of(run)) return fail(*fault, run);
  }
  if (run.changed) return fail("it was not refused", run);
  if (!run.untouched) return fail("it was refused, and the graph is another one than before", run);
  const std::vector<std::string> reasons = run.reasons();
  if (reasons.empty()) return fail("nothing was tried: there is no node that it may begin at" + because(run), run);
  for (const std::string& given : reasons)
    if (given.find(reason) != std::string::npos) return TestResult::pass();
  return TestResult::fail("no reason contains '" + std::string(reason) + "'" + because(run));
}

GRAFT_INLINE TestResult Trial::equivalent(const Equivalence& how) const {
  const Run run = this->run();
  if (auto fault = fault_of(run)) return fail(*fault, run);
  if (!run.changed) return fail("nothing was changed" + because(run), run);
  const TestResult same = graft::equivalent(specimen_.copy().graph(), run.model.graph(), how);
  return same ? same : fail(same.message(), run);
}

GRAFT_INLINE TestResult Trial::idempotent() const {
  Run first = run();
  if (auto fault = fault_of(first)) return fail(*fault, first);
  const Trial again(specimen_.with(first.model.commit()), pass_, intent_, context_);
  const Run second = again.run();
  if (auto fault = again.fault_of(second)) return again.fail(*fault, second);
  if (second.changed || !second.untouched) return again.fail("a second run changes the graph again", second);
  return TestResult::pass();
}

GRAFT_INLINE TestResult Trial::converges() const {
  const Run run = this->run();
  if (auto fault = fault_of(run)) return fail(*fault, run);
  return TestResult::pass();
}

GRAFT_INLINE TestResult Trial::tidy() const {
  const Run run = this->run();
  if (auto fault = fault_of(run)) return fail(*fault, run);
  const auto left = detail::first_new(detail::litter(specimen_.copy()), detail::litter(run.model));
  return left ? fail("it leaves behind " + *left, run) : TestResult::pass();
}

GRAFT_INLINE Trial Trial::on(onnx::ModelProto proto) const {
  Trial trial = *this;
  trial.specimen_ = specimen_.with(std::move(proto));
  return trial;
}

GRAFT_INLINE Run Trial::run() const {
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

GRAFT_INLINE std::optional<std::string> Trial::fault_of(const Run& run) const {
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

GRAFT_INLINE std::string Trial::because(const Run& run) {
  std::string text;
  for (const std::string& reason : run.reasons()) text += (text.empty() ? ": " : "\n  ") + reason;
  for (const std::string& warning : run.warnings()) text += (text.empty() ? ": warning: " : "\n  warning: ") + warning;
  return text;
}

GRAFT_INLINE std::string Trial::printed(const Graph& graph) {
  constexpr std::size_t max_nodes = 100;
  return graph.nodes().size() > max_nodes ? std::to_string(graph.nodes().size()) + " nodes\n" : to_string(graph);
}

GRAFT_INLINE TestResult Trial::fail(const std::string& why, const Run& run) const {
  std::string text = why + "\ngiven " + printed(specimen_.copy().graph());
  if (!run.untouched) text += pass_.name() + " makes of it " + printed(run.model.graph());
  return TestResult::fail(std::move(text));
}

}  // namespace graft::inline v1
