#pragma once
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <graft/graph/verdict.hpp>

namespace graft::inline v1 {

/// How a pass ended, from good to bad. The graph is sound after each.
enum class Outcome : std::uint8_t {
  converged,   // nothing is left to do
  budget,      // steps or seconds ran out
  oscillates,  // rules undo each other's work
  cancelled,
};

constexpr std::string_view to_string(Outcome outcome) {
  constexpr std::string_view names[] = {"converged", "budget", "oscillates", "cancelled"};
  return names[static_cast<std::size_t>(outcome)];
}

/// How often one rule was tried and applied.
struct RuleCount {
  std::string rule;
  std::size_t tried = 0;     // nodes that it was tried at
  std::size_t applied = 0;
  std::size_t declined = 0;  // matches whose replacement was refused and taken back
};

/// Why one rule left one node as it was.
struct Refusal {
  std::string rule, node, why;
  std::string_view code{};  // that of the Reason, for programs to test; of static storage
};

/// What a pass did. Pass::run() fills in the name, the node counts (bodies and functions included) and the time.
struct Report {
  std::string pass{};
  Outcome outcome = Outcome::converged;
  std::size_t changes = 0;
  std::vector<RuleCount> rules{};
  std::vector<std::string> oscillates{};  // the rules that undo each other, in their order
  std::size_t nodes_before = 0, nodes_after = 0;
  double seconds = 0;
  std::vector<std::string> notes{};    // what the pass decided, and why
  std::vector<std::string> warnings{};  // most likely mistakes in rules, Context or model; the log has them too
  std::vector<Refusal> refusals{};     // if Context::refusals asks for them
  std::vector<Report> steps{};         // of a pipeline

  bool converged() const { return outcome == Outcome::converged; }

  /// The count of a rule, those of the steps included.
  RuleCount rule(std::string_view name) const;

  /// The report of the first step of that name, at any depth; nullptr if there is none.
  const Report* step(std::string_view name) const;

  /// Adds why a rule, or a pass, left a node or a value as it was; for where Context::refusals asks for it.
  void refuse(std::string rule, std::string node, const Reason& reason);

  /// Takes in the report of a step: its changes count, and the worst outcome stands.
  void add(Report step);
};

/// One line for the pass, and below it, indented, its rules, notes, refusals and steps.
std::string to_string(const Report& report);
inline std::ostream& operator<<(std::ostream& out, const Report& report) { return out << to_string(report); }
inline std::ostream& operator<<(std::ostream& out, Outcome outcome) { return out << to_string(outcome); }

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/rewrite/detail/report_text.ipp>
#include <graft/rewrite/report.ipp>
#endif
