#pragma once
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/verdict.hpp>

namespace graft::inline v1 {

/// The outcome of a pass, from best to worst. The graph is valid after each.
enum class Outcome : std::uint8_t {
  converged,   // nothing is left to do
  budget,      // steps or seconds ran out
  oscillates,  // rules undo each other's changes
  cancelled,
};

constexpr std::string_view to_string(Outcome outcome) {
  constexpr std::string_view names[] = {"converged", "budget", "oscillates", "cancelled"};
  return names[static_cast<std::size_t>(outcome)];
}

/// Counts how often one rule was tried and applied.
struct RuleCount {
  std::string rule;
  std::size_t tried = 0;     // nodes at which the rule was tried
  std::size_t applied = 0;
  std::size_t declined = 0;  // matches whose replacement was refused and undone
};

/// The reason why a rule left a node unchanged.
struct Refusal {
  std::string rule, node, why;  // node: "Conv 'c1'", for people
  std::string_view code{};  // for programs: the code of the Reason, or to_string(Why); static storage
  /// Matched nodes, if a rule refused: 1 is the node alone, so the rule was not meant for it. 0 if a pass refused.
  std::size_t matched_nodes = 0;
  std::string output{};  // the node's first output, if a rule refused: Graph::find(output)->producer() is the node
};

/// The results of a pass. Pass::run() fills in the name, the node counts (bodies and functions included) and the time.
struct Report {
  std::string pass{};
  Outcome outcome = Outcome::converged;
  std::size_t changes = 0;
  std::vector<RuleCount> rules{};
  std::vector<std::string> oscillates{};  // the rules that undo each other, in order
  std::size_t nodes_before = 0, nodes_after = 0;
  double seconds = 0;
  std::vector<std::string> notes{};    // the decisions of the pass, with reasons
  std::vector<std::string> warnings{};  // likely mistakes in rules, Context or model; also in the log
  std::vector<Refusal> refusals{};     // filled if Context::refusals is set
  std::vector<std::string> unreadable{};  // why samples could not be read; the notes have it too
  std::vector<Report> steps{};         // the steps of a pipeline

  bool converged() const { return outcome == Outcome::converged; }

  /// The count of a rule, summed over the steps.
  RuleCount rule(std::string_view name) const;

  /// The report of the first step of that name, at any depth; nullptr if there is none.
  const Report* step(std::string_view name) const;

  /// Adds the reason why a rule or a pass left a node or value unchanged. Call it only if Context::refusals is set.
  void refuse(std::string rule, std::string node, const Reason& reason);

  /// Adds the report of a step. Its changes count, and the worst outcome is kept.
  void add(Report step);
};

/// One line for the pass. Its rules, notes, refusals and steps follow, indented.
std::string to_string(const Report& report);
inline std::ostream& operator<<(std::ostream& out, const Report& report) { return out << to_string(report); }
inline std::ostream& operator<<(std::ostream& out, Outcome outcome) { return out << to_string(outcome); }

}  // namespace graft::inline v1
