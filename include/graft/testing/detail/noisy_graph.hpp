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

/// A copy of a model with random errors: the inputs and outputs of every operator that rounds floats change by up to
/// four times the error of one rounding, differently in each run (Monte Carlo arithmetic: Parker, 1997). The resulting
/// differences of the outputs show the possible effect of another order of sums, or of factors that are multiplied in
/// advance. They are small, or unlimited for an operator that jumps.
class NoisyGraph {
 public:
  /// The model of the graph as of its last commit.
  NoisyGraph(const Graph& graph, const Kernels& kernels, std::uint64_t seed);
  NoisyGraph(NoisyGraph&&) noexcept;
  ~NoisyGraph();

  std::vector<Tensor> run(const Feeds& feeds) const;

  /// The largest difference of each element of output i over this many runs; empty if its shape differs or the graph
  /// cannot be run.
  std::vector<double> spread(const Feeds& feeds, std::size_t i, const Tensor& exact, std::size_t runs) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace graft::inline v1::detail
