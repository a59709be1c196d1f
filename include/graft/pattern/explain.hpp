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

/// "Conv 'c1'", or the node's output if it has no name.
std::string describe(const Node& node);

}  // namespace detail

/// A failure in words: the requirement and the actual state. The text does not repeat the name of the root, if given.
std::string explain(const RulePattern& pattern, const Failure& failure, const Node* root = nullptr);

/// The result of a pattern at one node.
struct Explanation {
  Node* node = nullptr;
  bool matched = false;
  Failure failure;
  std::string text;  // "Conv 'c1': matched", "Conv 'c1': input 1 of ..."
};

inline std::string to_string(const Explanation& explanation) { return explanation.text; }
inline std::ostream& operator<<(std::ostream& out, const Explanation& explanation) { return out << explanation.text; }

/// Tries a query or a rule's pattern at every node of a graph that may be its root.
std::vector<Explanation> explain(const RulePattern& pattern, Graph& graph, std::span<const Argument> arguments = {});

}  // namespace graft::inline v1
