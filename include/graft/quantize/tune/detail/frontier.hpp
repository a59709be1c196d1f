#pragma once
#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/evaluate/any_executor.hpp>
#include <graft/evaluate/executor.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// Between which nodes of a main graph values are needed. A place is a number of nodes, in the order of the graph:
/// those in front of it have run. Only values that depend on an input of the graph count.
class LiveValues {
 public:
  explicit LiveValues(const Graph& graph);

  std::size_t place_of(const Node& node) const { return places_.at(&node); }
  /// The values that nodes in front of the place make, or that are inputs, and that nodes behind it or outputs read.
  std::vector<const Value*> at(std::size_t place) const;
  /// Whether the value has a producer, which stands at or behind this place.
  bool is_made_behind(const Value& value, std::size_t place) const;

 private:
  struct Life {
    const Value* value;
    std::size_t made,
        read;  ///< behind how many nodes it is there, and in front of how many it is read for the last time
  };

  std::unordered_map<const Node*, std::size_t> places_;
  std::vector<Life> lives_;
};

/// Samples on their way through a graph: the values that the nodes from some place on read. A change of the graph
/// behind that place is tried without running the nodes in front of it again.
///
/// Values are held by name, so that they serve each graph that computes the same up to that place.
class Frontier {
 public:
  /// The feeds of each sample, by name, and how many bytes the values of all samples may take together. Samples that
  /// would exceed them stay where they are; runs on them are longer.
  Frontier(std::vector<Feeds> samples, std::size_t max_bytes);
  /// The same with at most 1 GiB, and a quarter of the machine's memory.
  explicit Frontier(std::vector<Feeds> samples);

  std::size_t samples() const { return samples_.size(); }
  /// The place of the sample that has come furthest.
  std::size_t place() const;
  /// Runs the nodes of the graph from the place of each sample up to this one, which must not be behind it.
  void advance(const Graph& graph, const LiveValues& live, AnyExecutor& executor, std::size_t place);
  /// Runs the nodes from the place of the sample on. The graph may be another one that computes the same up to there.
  std::vector<Tensor> run(std::size_t sample, const Graph& graph, AnyExecutor& executor, const Fetches& fetches) const;

 private:
  using Held = std::vector<std::pair<std::string, Tensor>>;
  struct Underway {
    Held values;
    std::size_t place = 0, bytes = 0;
  };

  static Feeds feeds(const Held& held, const Graph& graph);
  static std::size_t bytes_of(const Held& held);

  std::vector<Underway> samples_;
  std::size_t max_bytes_, bytes_ = 0;
};

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/tune/detail/frontier.ipp>
#endif
