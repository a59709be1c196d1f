#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <graft/evaluate/kernels.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/value.hpp>
#include <graft/testing/test_result.hpp>

namespace graft::inline v1 {

/// The options of a comparison of two graphs by evaluation.
struct Equivalence {
  /// Sets of random feeds: all zeros, all ones, special values such as -0, 0.5 and 6, then random values of several
  /// magnitudes.
  std::size_t inputs = 20;
  /// The tolerance of floats is atol * max(1, the largest magnitude of the tensor) + rtol * the element's magnitude,
  /// and at least one rounding in f16 and bf16. The tolerance of integers is atol.
  double atol = 1e-5;
  double rtol = 1e-5;
  std::uint64_t seed = 1;
  /// Adds a set with infinities and NaN. There, sums that are computed in another order differ.
  bool non_finite = false;
  /// Skips sets of feeds for which the first graph computes infinities or NaN, or a tensor of known rank and unknown
  /// extents is empty. Elements may differ by three times the effect of small rounding errors in each operator of the
  /// first graph. Use it for graphs with an operator that jumps, such as Round, or that magnifies errors, such as a
  /// division by a number near 0.
  bool stable_only = false;
  /// Sizes of symbolic dims; others vary from 1 to 4.
  std::vector<std::pair<std::string, std::int64_t>> dims{};
  const Kernels* kernels = &Kernels::standard();
};

namespace detail {

/// The reason why two graphs are not equivalent, and the number of feed sets with which the first one ran.
struct Comparison {
  std::optional<std::string> difference{};
  std::size_t runs = 0;
  std::string failure{};  // the error of the first graph, if it could not be run
};

/// after == nullptr: checks only whether the first graph runs.
Comparison compare(const Graph& before, const Graph* after, const Equivalence& how);

}  // namespace detail

/// Whether two graphs give the same outputs, in order, for the same inputs, by name. The inner values of the second
/// graph must also have their declared types. Feed sets on which the first graph fails are skipped; at least one must
/// remain.
TestResult equivalent(const Graph& before, const Graph& after, const Equivalence& how = {});

}  // namespace graft::inline v1
