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
  std::string error{};  // the message of the Error that it threw; empty if none
  bool changed = false;
  bool untouched = false;               // the model did not change, byte for byte
  std::vector<std::string> problems{};  // the problems that verify() finds in the changed model

  /// The reasons of the pass for not changing the graph.
  std::vector<std::string> reasons() const;
  std::vector<std::string> warnings() const;
};

/// A pass or a rule, and a graph to try it on. Every check runs it on a new copy of the graph and requires: it does not
/// throw; it converges; the signature of the graph stays, unless the rule declares otherwise; verify() finds no new
/// problems; if it reports no change, the model is the same byte for byte.
class Trial {
 public:
  Trial(detail::Specimen specimen, Pass pass, const Intent& intent, Context context)
      : specimen_(std::move(specimen)), pass_(std::move(pass)), intent_(intent), context_(std::move(context)) {}

  /// Allows changes to the names, types, number and order of inputs and outputs.
  Trial changes_signature() const;

  /// Holds if the result is isomorphic to the expected graph.
  TestResult becomes(const Model& expected) const;
  TestResult becomes(std::string_view expected) const { return becomes(graft::graph(expected)); }

  /// Holds if the graph stays the same, and one of the reasons, or the thrown Error, contains that text.
  TestResult refuses(std::string_view reason = {}) const;

  /// Holds if the graph changes, and gives the same outputs as before.
  TestResult equivalent(const Equivalence& how = {}) const;

  /// Holds if a second run changes nothing.
  TestResult idempotent() const;

  /// Holds if the run ends within its budget, and no rules undo each other.
  TestResult converges() const;

  /// Holds if the run leaves no new remains: nodes without effect, unused initializers, types of removed values.
  TestResult tidy() const;

  const Pass& pass() const { return pass_; }
  const detail::Specimen& specimen() const { return specimen_; }
  /// The same trial on another graph.
  Trial on(onnx::ModelProto proto) const;

  Run run() const;

  /// The problem of a run, for any check; nullopt if there is none.
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
