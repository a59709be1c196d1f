#pragma once
#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <graft/evaluate/any_executor.hpp>
#include <graft/evaluate/executor.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>

namespace graft::inline v1::detail {

/// The node of the main graph that reads a value, directly or in a body; nullptr for an output of the graph.
const Node* reader_in(const Graph& graph, const Use& use);

/// The values of a main graph that are live between nodes. A place is a number of nodes, in the order of the graph:
/// that many nodes have run. Only values that depend on an input of the graph count.
class LiveValues {
 public:
  explicit LiveValues(const Graph& graph);

  std::size_t place_of(const Node& node) const { return places_.at(&node); }
  /// The inputs, and outputs of nodes before the place, that later nodes or graph outputs read.
  std::vector<const Value*> at(std::size_t place) const;
  /// For each place, from that before the first node to that behind the last, the only one of these values that is live
  /// there; nullptr if there is none, or several. Values live until the last node has read them: graph outputs without
  /// a reader live behind their producer alone.
  std::vector<const Value*> sole(const std::unordered_set<const Value*>& among) const;
  /// Whether the value has a producer that runs at or after this place.
  bool is_made_behind(const Value& value, std::size_t place) const;

 private:
  struct Life {
    const Value* value;
    std::size_t made,
        read,        ///< the number of nodes before its producer has run, and before its last reader runs
        read_by_node;  ///< as `read`, without graph outputs
  };

  std::unordered_map<const Node*, std::size_t> places_;
  std::vector<Life> lives_;
};

/// Samples with the live values at some place of a graph. A change of the graph behind that place is tried without
/// running the earlier nodes again.
///
/// Values are stored by name, so that they serve each graph that computes the same up to that place.
class Frontier {
 public:
  /// Takes the feeds of each sample, by name, and the limit of bytes for the values of all samples. A sample that would
  /// exceed the limit stays where it is; its runs take longer.
  Frontier(std::vector<Feeds> samples, std::size_t max_bytes);
  /// The limit is 1 GiB or a quarter of the machine's memory, whichever is less.
  explicit Frontier(std::vector<Feeds> samples);

  std::size_t samples() const { return samples_.size(); }
  /// The furthest place that was asked for, also if samples stayed before it, or there are none.
  std::size_t place() const { return place_; }
  /// Runs the nodes of the graph from the place of each sample up to this one, which must not be earlier.
  void advance(const Graph& graph, const LiveValues& live, AnyExecutor& executor, std::size_t place);
  /// Runs the nodes after the place of the sample. The graph may be another one that computes the same up to there.
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
  std::size_t max_bytes_, bytes_ = 0, place_ = 0;
};

}  // namespace graft::inline v1::detail
