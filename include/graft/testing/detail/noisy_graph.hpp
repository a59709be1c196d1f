#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <graft/evaluate/executor.hpp>
#include <graft/evaluate/kernels.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/tensor.hpp>

namespace graft::inline v1::detail {

/// A copy of a model in which what every operator that rounds floats reads and returns is off by up to four times the
/// error of one rounding, by other random amounts in each run (Monte Carlo arithmetic: Parker, 1997). What its outputs
/// differ by is what another order of sums, or factors that are multiplied beforehand, may do to them: little, or all
/// where an operator jumps.
class NoisyGraph {
 public:
  /// The model of the graph as of its last commit.
  NoisyGraph(const Graph& graph, const Kernels& kernels, std::uint64_t seed);
  NoisyGraph(NoisyGraph&&) noexcept;
  ~NoisyGraph();

  std::vector<Tensor> run(const Feeds& feeds) const;

  /// By how much each element of output i is off at most, in so many runs; empty if its shape is not even the
  /// same, or the graph cannot be run any more.
  std::vector<double> spread(const Feeds& feeds, std::size_t i, const Tensor& exact, std::size_t runs) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/testing/detail/noisy_graph.ipp>
#endif
