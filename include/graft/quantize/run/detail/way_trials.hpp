#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/model.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/quantize/calibrate/sample.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/tune/fidelity.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1::detail {

/// How near a quantized copy comes to float, and how many QuantizeLinear nodes it has.
struct WayResult {
  Fidelity fidelity;
  std::size_t pairs = 0;
  bool ended_early = false;  // before the last sample
};

/// Measures ways to quantize on samples that are held in memory, against what the float graph makes of them.
class WayTrials {
 public:
  /// Runs the float graph on the first `most` samples that can be read.
  WayTrials(const Graph& floats, const SampleSource& samples, std::size_t most, ExecutorFactory make_executor,
            const Context& context);

  std::size_t samples() const { return samples_.size(); }
  /// Why samples could not be read, where the source skips these.
  const std::vector<std::string>& unreadable() const { return unreadable_; }
  /// How near a copy of the model comes to the float graph when the passes have quantized it. Ends early where the
  /// samples to come could not bring it to this cosine.
  WayResult measure(Model& model, const Context& known, const Pass& passes, double least_cosine = -1) const;

 private:
  std::vector<Sample> samples_;
  std::vector<std::vector<Tensor>> floats_;
  std::vector<std::size_t> rows_;  // of each output, over all samples
  std::vector<bool> embeddings_;  // which outputs are, in float
  std::vector<std::string> unreadable_;
  ExecutorFactory make_executor_;
};

}  // namespace graft::inline v1::detail

#ifndef GRAFT_COMPILED
#include <graft/quantize/run/detail/way_trials.ipp>
#endif
