#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <graft/graph.hpp>

/// Problems of several nodes with the same text. They are printed as one line.
class ProblemGroups {
 public:
  void add(const graft::Problem& problem) {
    const auto has_text = [&](const Group& group) { return problem.node != nullptr && group.text == problem.text; };
    const auto found = std::find_if(groups_.begin(), groups_.end(), has_text);
    if (found != groups_.end()) return found->nodes.push_back(graft::display_name(*problem.node));
    groups_.push_back({problem.node != nullptr ? problem.text : "", graft::to_string(problem), {}});
    if (problem.node != nullptr) groups_.back().nodes.push_back(graft::display_name(*problem.node));
  }

  /// "node 'a': ...", "nodes 'a', 'b', 'c' and 11 more: ..."
  std::vector<std::string> lines() const {
    constexpr std::size_t most = 3;
    std::vector<std::string> lines;
    for (const Group& group : groups_) {
      if (group.nodes.size() < 2) {
        lines.push_back(group.first);
        continue;
      }
      std::string line = "nodes ";
      for (std::size_t i = 0; i < std::min(most, group.nodes.size()); ++i)
        line += (i == 0 ? "'" : ", '") + group.nodes[i] + "'";
      if (group.nodes.size() > most) line += " and " + std::to_string(group.nodes.size() - most) + " more";
      lines.push_back(line + ": " + group.text);
    }
    return lines;
  }

 private:
  struct Group {
    std::string text, first;
    std::vector<std::string> nodes;
  };

  std::vector<Group> groups_;
};
