#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/rewrite/detail/overlap.hpp>
#include <graft/rewrite/loops.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::string to_string(const Loop& loop) {
  std::string text;
  for (const std::string_view rule : loop.rules) text += (text.empty() ? "'" : " -> '") + std::string(rule) + "'";
  return text + " -> '" + std::string(loop.rules.front()) + "'";
}

namespace detail {

/// The number of nodes that the rule adds to the graph.
inline std::ptrdiff_t growth(const RuleView& rule) {
  const auto operators = [](const RulePattern& pattern) {
    std::ptrdiff_t count = 0;
    for (std::size_t at = 0; at < pattern.nodes.size(); ++at) {
      if (pattern.nodes[at].step == Step::folded) at = pattern.nodes[at].end - std::size_t{1};
      else if (pattern.nodes[at].step == Step::op) ++count;
    }
    return count;
  };
  return operators(rule.after) - operators(rule.before);
}

/// A cycle with a growth of at least 0, over edges of at least this certainty; empty if there is none.
inline std::vector<std::size_t> find_loop(std::span<const RuleView> rules,
                                          const std::vector<std::vector<Overlap>>& edges, Overlap least) {
  // Longest paths by Bellman and Ford. The weights make exactly those cycles positive that do not shrink the graph.
  const std::size_t count = rules.size();
  std::vector<std::ptrdiff_t> length(count, 0);
  std::vector<std::size_t> from(count, count);
  std::size_t last = count;
  for (std::size_t round = 0; round <= count; ++round) {
    last = count;
    for (std::size_t a = 0; a < count; ++a) {
      const std::ptrdiff_t weight = growth(rules[a]) * static_cast<std::ptrdiff_t>(count + 1) + 1;
      for (std::size_t b = 0; b < count; ++b) {
        if (edges[a][b] < least || length[a] + weight <= length[b]) continue;
        length[b] = length[a] + weight;
        from[b] = a;
        last = b;
      }
    }
    if (last == count) return {};
  }
  for (std::size_t step = 0; step < count; ++step) last = from[last];  // into the cycle
  std::vector<std::size_t> loop;
  for (std::size_t at = last; loop.empty() || at != last; at = from[at]) loop.insert(loop.begin(), at);
  std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
  return loop;
}

}  // namespace detail

GRAFT_INLINE std::vector<Loop> find_loops(std::span<const RuleView> rules) {
  std::vector<std::vector<detail::Overlap>> edges(rules.size(), std::vector<detail::Overlap>(rules.size()));
  for (std::size_t a = 0; a < rules.size(); ++a)
    for (std::size_t b = 0; b < rules.size(); ++b) edges[a][b] = detail::Overlay(rules[a], rules[b]).find();
  std::vector<Loop> loops;
  for (const detail::Overlap least : {detail::Overlap::certain, detail::Overlap::maybe}) {
    const std::vector<std::size_t> found = detail::find_loop(rules, edges, least);
    if (found.empty()) continue;
    Loop loop;
    loop.certain = least == detail::Overlap::certain;
    for (const std::size_t rule : found) loop.rules.push_back(rules[rule].name());
    if (loops.empty() || loops.front().rules != loop.rules) loops.push_back(std::move(loop));
  }
  return loops;
}

}  // namespace graft::inline v1
