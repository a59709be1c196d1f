#pragma once
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <graft/config.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

namespace detail {

inline std::string seconds_text(double seconds) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, seconds, std::chars_format::fixed, 3).ptr;
  return std::string(text, end) + " s";
}

inline std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

inline void print(const Report& report, std::size_t depth, std::string& text) {
  const std::string indent(2 * depth, ' ');
  text += indent + report.pass + ": " + std::string(to_string(report.outcome));
  if (!report.oscillates.empty()) text += "(" + joined(report.oscillates, ", ") + ")";
  text += ", " + std::to_string(report.changes) + (report.changes == 1 ? " change, " : " changes, ") +
          std::to_string(report.nodes_before) + " -> " + std::to_string(report.nodes_after) + " nodes, " +
          seconds_text(report.seconds) + "\n";
  for (const RuleCount& count : report.rules) {
    if (count.applied == 0 && count.declined == 0) continue;
    text += indent + "  " + count.rule + ": applied " + std::to_string(count.applied);
    if (count.declined != 0) text += ", declined " + std::to_string(count.declined);
    text += "\n";
  }
  for (const std::string& note : report.notes) text += indent + "  " + note + "\n";
  for (const std::string& warning : report.warnings) text += indent + "  warning: " + warning + "\n";
  for (const Refusal& refusal : report.refusals)
    text += indent + "  " + refusal.rule + " left " + refusal.node + ": " + refusal.why + "\n";
  for (const Report& step : report.steps) print(step, depth + 1, text);
}

}  // namespace detail

GRAFT_INLINE std::string to_string(const Report& report) {
  std::string text;
  detail::print(report, 0, text);
  return text;
}

}  // namespace graft::inline v1
