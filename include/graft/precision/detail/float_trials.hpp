#pragma once
#include <cstddef>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <graft/evaluate/executor.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/precision/float_options.hpp>
#include <graft/rewrite/context.hpp>

namespace graft::inline v1::detail {

/// The outcome of a converted model on samples.
struct FloatTrial {
  const Node* first_bad = nullptr;  ///< the first node with an infinity or NaN that float32 does not have
  double cosine = 1;                ///< the least of an output
};

/// Runs a model in float32, and then converted, on the samples of the options. Only tensors of the main graph are seen.
class FloatTrials {
 public:
  /// Runs the float32 model. If the context is cancelled, the runs skip samples, and their results do not count.
  FloatTrials(const Graph& graph, const FloatOptions& options, const Context& context, DType to);

  /// The reason why the samples keep the node in float32; empty if there is none.
  std::string_view why_kept(const Node& node) const;

  /// Runs the converted model.
  FloatTrial run(const Graph& converted) const;

  /// The node itself if it computes in the 16-bit type, or else the nearest such nodes before it, past Casts.
  std::vector<const Node*> narrow_sources(const Node& bad) const;

  /// Keeps all tensors of the first sample. Precondition: the graph is in float32.
  void remember(const Graph& graph);
  /// The nodes that compute in the 16-bit type, those first that add most to the relative error on the first sample.
  /// Precondition: remember() was called before the conversion.
  std::vector<const Node*> ranked(const Graph& converted) const;

 private:
  struct Seen {
    bool is_finite = true, is_large = false, is_vanishing = false;
    double nonzero = 0, vanished = 0;
  };
  void see(const Tensor& tensor, Seen& seen) const;
  Fetches fetches(const Graph& graph) const;
  static Feeds feeds_for(const Graph& graph, const Feeds& feeds);
  void visit_samples(const std::function<void(const Feeds&)>& visit) const;
  template <class F>
  void for_first(F&& f) const;

  const FloatOptions* options_;
  const Context* context_;
  DType to_;
  std::unordered_map<const Value*, Seen> seen_;
  std::vector<std::vector<Tensor>> outputs_;  // of each sample
  std::unordered_map<const Value*, Tensor> first_;
};

}  // namespace graft::inline v1::detail
