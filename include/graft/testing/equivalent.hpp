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

/// How two graphs are compared by evaluation.
struct Equivalence {
  /// Sets of random feeds: all zeros, all ones, special values such as -0, 0.5 and 6, then random ones of several
  /// magnitudes.
  std::size_t inputs = 20;
  /// Floats may be apart by atol * max(1, the largest magnitude of the tensor) + rtol * the element's own; at least by
  /// what one rounding costs in f16 and bf16. Integers may be apart by atol.
  double atol = 1e-5;
  double rtol = 1e-5;
  std::uint64_t seed = 1;
  /// One set contains infinities and NaN. Sums that are computed in another order differ there.
  bool non_finite = false;
  /// Leaves out sets of feeds at which the first graph computes infinities or NaN, or at which a tensor of known rank
  /// and unknown extents is empty. Elements may differ by three times what small rounding errors in each operator of
  /// the first graph change them by: for graphs with an operator that jumps, such as Round, or that magnifies errors,
  /// such as a division by a number near 0.
  bool stable_only = false;
  /// Sizes of symbolic dims; others vary from 1 to 4.
  std::vector<std::pair<std::string, std::int64_t>> dims{};
  const Kernels* kernels = &Kernels::standard();
};

namespace detail {

/// Why two graphs are not equivalent, and for how many sets of feeds the first one could be run.
struct Comparison {
  std::optional<std::string> difference{};
  std::size_t runs = 0;
  std::string failure{};  // of the first graph, where it could not be run
};

/// after == nullptr: only whether the first one runs.
Comparison compare(const Graph& before, const Graph* after, const Equivalence& how);

}  // namespace detail

/// Whether two graphs give the same outputs, in their order, for the same inputs, by name, and whether the inner values
/// of the second one are of the types that they are said to have. Sets of feeds that the first graph itself fails on
/// are left out; one at least must be left.
TestResult equivalent(const Graph& before, const Graph& after, const Equivalence& how = {});

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/testing/equivalent.ipp>
#endif
