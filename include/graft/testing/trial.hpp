#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/onnx.hpp>
#include <graft/graph/value.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/intent.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>
#include <graft/testing/detail/faults.hpp>
#include <graft/testing/detail/specimen.hpp>
#include <graft/testing/equivalent.hpp>
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
  std::vector<std::string> problems{};  // what verify() reports for the changed model

  /// Why nothing was changed, as the pass reports.
  std::vector<std::string> reasons() const;
  std::vector<std::string> warnings() const;
};

/// A pass, or a rule, and a graph to try it on. Every check runs it on a fresh copy of the graph and holds that: it
/// does not throw; it converges; the signature of the graph stays, unless the rule says otherwise; verify() finds
/// nothing in the result that it did not find before; where it reports no change there is none, byte for byte.
class Trial {
 public:
  Trial(detail::Specimen specimen, Pass pass, const Intent& intent, Context context)
      : specimen_(std::move(specimen)), pass_(std::move(pass)), intent_(intent), context_(std::move(context)) {}

  /// The names, types, number and order of inputs and outputs may change.
  Trial changes_signature() const;

  /// The graph becomes one isomorphic to the expected one.
  TestResult becomes(const Model& expected) const;
  TestResult becomes(std::string_view expected) const { return becomes(graft::graph(expected)); }

  /// The graph stays as it is, and one of the reasons, or the Error that is thrown, contains that text.
  TestResult refuses(std::string_view reason = {}) const;

  /// The graph changes, and gives the same outputs as before.
  TestResult equivalent(const Equivalence& how = {}) const;

  /// A second run changes nothing.
  TestResult idempotent() const;

  /// The run comes to its end: within its budget, and no rules that undo each other.
  TestResult converges() const;

  /// Nothing is left behind that was not there: nodes without effect, initializers without use, types for values that
  /// are gone.
  TestResult tidy() const;

  const Pass& pass() const { return pass_; }
  const detail::Specimen& specimen() const { return specimen_; }
  /// The same on another graph.
  Trial on(onnx::ModelProto proto) const;

  Run run() const;

  /// What is wrong with a run, whatever its purpose; nullopt if nothing is.
  std::optional<std::string> fault_of(const Run& run) const;

 private:
  static std::string because(const Run& run);
  static std::string printed(const Graph& graph);
  TestResult fail(const std::string& why, const Run& run) const;

  detail::Specimen specimen_;
  Pass pass_;
  Intent intent_;
  Context context_;
};

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/testing/trial.ipp>
#endif
