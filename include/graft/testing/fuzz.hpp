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
  /// The parts of the random graphs. fuzz() of rules adds their left sides to the patterns.
  Vocabulary vocabulary{};
  /// The graphs have about this many nodes at most, and at least 3.
  std::size_t nodes = 12;
  /// The sets of random inputs for comparing outputs, and the tolerance: see Equivalence, with stable_only set.
  std::size_t inputs = 5;
  double atol = 1e-4, rtol = 1e-4;
  /// A pass that rewrites two of three graphs first, for example to the primitives that fusions match.
  std::optional<Pass> before{};
  /// Runs rules by sweep() instead of fixpoint(), for lowerings. Then a second run may change the graph again.
  bool sweep = false;
  /// The context of the passes; nullopt: a Context that folds constants.
  std::optional<Context> context{};
  /// The fuzz ends after this many failures, seconds or graphs.
  std::size_t failures = 5;
  double seconds = std::numeric_limits<double>::infinity();
};

/// A random graph for which a check failed.
struct FuzzFinding {
  std::uint64_t seed = 0;    // of random_graph(seed, nodes, vocabulary)
  std::size_t nodes = 0;
  std::string why{};
  onnx::ModelProto model{};  // the smallest one with this failure
  std::string text{};        // its graph as text
};

/// The result of a fuzz. It holds if nothing failed.
struct FuzzReport {
  std::size_t graphs = 0;                        // number of tried graphs
  std::size_t changed = 0;                       // number of rewritten graphs
  std::map<std::string, std::size_t> applied{};  // number of applications of each rule
  std::vector<FuzzFinding> failures{};
  /// Graphs for which another order of the rules gives another graph with the same values. These are not failures.
  std::size_t orders = 0;
  std::vector<FuzzFinding> order_examples{};  // the first of these

  explicit operator bool() const { return failures.empty(); }
  /// Counts, and the failures.
  std::string message() const;
  friend std::ostream& operator<<(std::ostream& out, const FuzzReport& report) { return out << report.message(); }
};

/// Runs a pass over random graphs. The pass must end without an Error, keep names and types of the signature, and leave
/// a graph that verify() accepts and that has no unused nodes. The graph must give the same outputs, and a second run
/// must not change it. A graph for which one of these fails is shrunk.
///
///     CHECK(fuzz(simplify(), {.seed = 7, .count = 200}));
FuzzReport fuzz(const Pass& pass, const FuzzOptions& options = {});
/// The same with rules, which also run in another order. For rules that declare that they change values, only dtypes
/// and shapes are compared.
FuzzReport fuzz(const std::vector<RuleView>& rules, const FuzzOptions& options = {});

template <rule_like R>
FuzzReport fuzz(const R& rule, const FuzzOptions& options = {}) {
  return fuzz(std::vector<RuleView>{rule.view()}, options);
}

}  // namespace graft::inline v1
