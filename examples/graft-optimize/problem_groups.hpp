#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include <graft/graph.hpp>

/// Problems of several nodes with the same text. They are printed as one line.
class ProblemGroups {
 public:
  void add(const graft::Problem& problem) {
    if (problem.node == nullptr) return groups_.push_back({"", graft::to_string(problem), {}});
    const auto [place, is_new] = by_text_.try_emplace(problem.text, groups_.size());
    if (is_new) groups_.push_back({problem.text, graft::to_string(problem), {}});
    groups_[place->second].nodes.push_back(graft::display_name(*problem.node));
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
  std::unordered_map<std::string, std::size_t> by_text_;  // the index of a group
};
