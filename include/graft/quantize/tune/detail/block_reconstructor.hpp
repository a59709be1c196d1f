#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <graft/evaluate/any_executor.hpp>
#include <graft/evaluate/executor_factory.hpp>
#include <graft/evaluate/parallel.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/value.hpp>
#include <graft/graph/verdict.hpp>
#include <graft/quantize/tune/detail/block_learner.hpp>
#include <graft/quantize/tune/detail/block_tape.hpp>
#include <graft/quantize/tune/detail/find_blocks.hpp>
#include <graft/quantize/tune/detail/frontier.hpp>
#include <graft/quantize/tune/detail/soft_weight.hpp>
#include <graft/quantize/tune/reconstruct.hpp>
#include <graft/rewrite/context.hpp>

namespace graft::inline v1::detail {

/// A layer whose weight a block may change.
struct BlockLayer {
  const Node* node;
  std::function<SoftWeight()> read;
  std::function<void(const SoftWeight&)> store;  ///< after the scale of its input has changed
};

/// Learns blocks of a quantized graph.
class BlockReconstructor {
 public:
  /// samples: the number of samples of all ranks.
  BlockReconstructor(Graph& graph, const Graph& floats, const LiveValues& float_live, const Reconstruction& options,
                     std::size_t samples, const ExecutorFactory& make_executor, const Context& context,
                     const ParallelFor* parallel);

  /// Learns a block and stores it, if that brings its output nearer to float on held-out samples. layers: those of the
  /// block. start: this rank's samples at its first node. wanted: those in the float graph, no further than its
  /// output. seconds: the time limit. What it throws, it throws on all ranks.
  Verdict learn(const BlockSpan& span, std::span<const BlockLayer> layers, const Frontier& start,
                const Frontier& wanted, AnyExecutor& float_executor, double seconds,
                ReconstructedLayers::Block& found) const;

 private:
  /// The samples of a block: those to learn from, and those that decide.
  struct Samples {
    std::vector<BlockSample> seen{}, unseen{};
  };
  /// Gives each rank the samples of all: a step takes some at random.
  Verdict gather(const BlockTape& tape, const Value& output, const Frontier& start, const Frontier& wanted,
                 AnyExecutor& float_executor, Samples& samples) const;
  /// The value of the float graph that a value of the quantized one stands for; nullptr if there is none.
  const Value* float_value(const Value& value) const;

  Graph& graph_;
  const Graph& floats_;
  const LiveValues& float_live_;
  const Reconstruction& options_;
  std::size_t samples_;
  const ExecutorFactory& make_executor_;
  const Context& context_;
  const ParallelFor* parallel_;
  std::vector<Node*> nodes_;  // in the order of the graph
};

}  // namespace graft::inline v1::detail
