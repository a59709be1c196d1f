#pragma once
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/pattern/arg.hpp>
#include <graft/pattern/failure.hpp>
#include <graft/pattern/table.hpp>

namespace graft::inline v1 {

namespace detail {

/// Conv 'c1'; a node without a name is called by its output.
std::string describe(const Node& node);

}  // namespace detail

/// A failure in words: what was wanted and what was there.
std::string explain(const RulePattern& pattern, const Failure& failure);

/// What a pattern made of one node.
struct Explanation {
  Node* node = nullptr;
  bool matched = false;
  Failure failure;
  std::string text;  // "Conv 'c1': matched", "Conv 'c1': input 1 of ..."
};

inline std::string to_string(const Explanation& explanation) { return explanation.text; }
inline std::ostream& operator<<(std::ostream& out, const Explanation& explanation) { return out << explanation.text; }

/// Tries a query, or what a rule looks for, at every node of a graph that may be its root.
std::vector<Explanation> explain(const RulePattern& pattern, Graph& graph, std::span<const Argument> arguments = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/pattern/detail/failure_text.ipp>
#include <graft/pattern/explain.ipp>
#endif
