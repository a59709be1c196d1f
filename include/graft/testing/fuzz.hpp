#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <graft/graph/onnx.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>
#include <graft/testing/random_graph.hpp>

namespace graft::inline v1 {

struct FuzzOptions {
  std::uint64_t seed = 1;
  std::size_t count = 100;
  /// What the graphs are made of. fuzz() of rules adds their left sides to its patterns.
  Vocabulary vocabulary{};
  /// Graphs have up to about that many nodes, at least 3.
  std::size_t nodes = 12;
  /// Sets of random inputs on which the outputs are compared, and how far apart they may be: see Equivalence, whose
  /// stable_only holds.
  std::size_t inputs = 5;
  double atol = 1e-4, rtol = 1e-4;
  /// Rewrites two of three graphs beforehand, such as to the primitives that fusions look for.
  std::optional<Pass> before{};
  /// Runs rules by sweep() instead of fixpoint(), for lowerings. A second run may change the graph again.
  bool sweep = false;
  /// What the passes run with; nullopt: a Context that folds constants.
  std::optional<Context> context{};
  /// The fuzz ends after so many failures, or seconds, or graphs.
  std::size_t failures = 5;
  double seconds = std::numeric_limits<double>::infinity();
};

/// A random graph on which a check failed.
struct FuzzFinding {
  std::uint64_t seed = 0;    // of random_graph(seed, nodes, vocabulary)
  std::size_t nodes = 0;
  std::string why{};
  onnx::ModelProto model{};  // the smallest for which this holds
  std::string text{};        // its graph
};

/// What a fuzz found. It holds if nothing failed.
struct FuzzReport {
  std::size_t graphs = 0;   // that were tried
  std::size_t changed = 0;  // that were rewritten
  std::map<std::string, std::size_t> applied{};  // how often each rule was applied
  std::vector<FuzzFinding> failures{};
  /// Graphs for which the rules in another order give another graph with the same values. Not failures.
  std::size_t orders = 0;
  std::vector<FuzzFinding> order_examples{};  // the first

  explicit operator bool() const { return failures.empty(); }
  /// Counts, and the failures.
  std::string message() const;
  friend std::ostream& operator<<(std::ostream& out, const FuzzReport& report) { return out << report.message(); }
};

/// Runs a pass over random graphs: it ends without an Error, keeps names and types of the signature, leaves a graph
/// that verify() accepts and in which nothing is unused, gives the same outputs, and changes nothing when it runs
/// again. A graph for which one of these fails is shrunk.
///
///     CHECK(fuzz(simplify(), {.seed = 7, .count = 200}));
///
FuzzReport fuzz(const Pass& pass, const FuzzOptions& options = {});
/// The same with rules, which are also run in another order. For rules that declare that they change values, only
/// dtypes and shapes are compared.
FuzzReport fuzz(const std::vector<RuleView>& rules, const FuzzOptions& options = {});

template <rule_like R>
FuzzReport fuzz(const R& rule, const FuzzOptions& options = {}) {
  return fuzz(std::vector<RuleView>{rule.view()}, options);
}

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/testing/fuzz.ipp>
#endif
