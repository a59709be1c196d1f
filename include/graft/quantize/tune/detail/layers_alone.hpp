#pragma once
#include <cstddef>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <graft/evaluate/any_executor.hpp>
#include <graft/evaluate/executor.hpp>
#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/quantize/tune/detail/frontier.hpp>
#include <graft/quantize/tune/detail/requantizer.hpp>

namespace graft::inline v1::detail {

/// Runs copies in which a few layers are quantized and all others are in float, each from the first node on that this
/// changes. It is quick where layers come in the order of the graph.
class LayersAlone {
 public:
  using Names = std::set<std::string, std::less<>>;
  using Visit = std::function<void(std::size_t sample, std::span<const Tensor> outputs)>;

  /// all: the layers. The feeds of samples are by name.
  LayersAlone(const Requantizer& requantizer, Names all, std::vector<Feeds> samples, ExecutorFactory make_executor);

  /// Whether anything changes if these are quantized.
  bool is_changed_by(const Names& quantized) const;
  /// Shows the measured outputs of each sample where these are quantized. False if they change nothing.
  bool run(const Names& quantized, const Visit& visit);

 private:
  Model copy(const Names& quantized) const;

  const Requantizer& requantizer_;
  Names all_;
  ExecutorFactory make_executor_;
  Model none_;  // of all is quantized
  AnyExecutor executor_;
  LiveValues live_;
  Frontier start_, here_;
};

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/tune/detail/layers_alone.ipp>
#endif
