#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <graft/evaluate/executor.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/graph.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/range.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/calibrate/sample.hpp>
#include <graft/quantize/tune/detail/tensor_pairs.hpp>
#include <graft/quantize/tune/fidelity.hpp>
#include <graft/quantize/tune/layer_trials.hpp>
#include <graft/quantize/tune/signal_to_noise.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

/// How much of a tensor quantization leaves.
struct TensorNoise {
  std::string tensor;
  std::string node;          ///< that makes it; empty for an input of the graph
  double decibels = 0;       ///< signal-to-noise ratio
  Range floats, quantized;   ///< the values that it took
};

/// Where a quantized graph loses accuracy.
struct Analysis {
  static constexpr std::string_view fact_name = "analysis", fact_maker = "analyze";

  std::vector<TensorNoise> tensors;  ///< the worst first
  Fidelity outputs;                  ///< of the quantized graph
  std::vector<LayerEffect> layers;   ///< the worst first
};

namespace detail {

/// What the samples show of a pair of tensors, as long as both are float32 and of the same dims.
struct PairNoise {
  SignalToNoise power{};
  Range floats{}, quantized{};
  bool seen = false;

  void add(const Tensor& x, const Tensor& q);
};

std::vector<TensorNoise> worst_first(const std::vector<TensorPair>& pairs,
                                     const std::vector<PairNoise>& noises);

}  // namespace detail

/// Runs a graph and its quantized form on samples, anything that yields Feeds, or Sample, and says how much noise there
/// is in each float32 tensor that both have by name, and in the outputs, which are the same in both. A quantized tensor
/// counts as its readers see it, dequantized; sums are float64, over all samples; all tensors of one sample are in
/// memory at a time. Layers are left out. The float graph is as it was when it was quantized: equalizing weights, say,
/// alters tensors. What has other dims in the other graph, as values give them to some operators, is left
/// out. Throws Error if there is no sample.
template <class Samples, class MakeExecutor = MakeEvaluator>
Analysis analyze(const Graph& floats, const Graph& quantized, Samples&& samples, MakeExecutor make_executor = {}) {
  const std::vector<detail::TensorPair> pairs = detail::tensor_pairs(floats, quantized);
  Fetches of_floats, of_quantized;
  for (const detail::TensorPair& pair : pairs) {
    of_floats.emplace_back(pair.floats);
    of_quantized.emplace_back(pair.quantized);
  }
  const Fetches float_outputs = detail::measured_outputs(floats);
  const Fetches quantized_outputs = detail::measured_outputs(quantized);
  of_floats.insert(of_floats.end(), float_outputs.begin(), float_outputs.end());
  of_quantized.insert(of_quantized.end(), quantized_outputs.begin(), quantized_outputs.end());

  auto float_executor = make_executor(floats);
  auto quantized_executor = make_executor(quantized);
  std::vector<detail::PairNoise> noises(pairs.size());
  FidelityMeter outputs;
  const auto add = [&](std::size_t, const Sample& sample) {
    std::vector<Tensor> wanted = float_executor.run(detail::by_name(sample.feeds), of_floats);
    std::vector<Tensor> given(quantized_outputs.size());
    quantized_executor.observe(detail::by_name(sample.feeds), of_quantized, [&](std::size_t i, const Tensor& tensor) {
      if (i >= pairs.size()) {
        given[i - pairs.size()] = tensor;
        return;
      }
      try {
        noises[i].add(wanted[i], tensor);
      } catch (Error& error) {
        throw error.field(pairs[i].floats->name());
      }
      wanted[i] = {};
    });
    wanted.erase(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(pairs.size()));
    outputs.add(wanted, given);
  };
  if (detail::for_first(samples, std::numeric_limits<std::size_t>::max(), add) == 0)
    throw Error("there is no sample to measure on");
  return {detail::worst_first(pairs, noises), outputs.fidelity(), {}};
}

/// The pass that says where the passes that quantize, and come next, will lose accuracy, and provides that as an
/// Analysis; the graph stays as it is. They quantize copies of it with the facts that there are, so that ranges are
/// found once, and a layer is in float as exclude_nodes() leaves it there; what else is quantized is not chosen anew
/// for that, so that a layer alone is, though min_cost would find that it does not pay. Each layer is measured on
/// trials.samples where it alone is quantized, and ranked by the signal-to-noise ratio of the outputs: a good guess at
/// what to turn back first, which takes it that the noise of layers adds up. Then the layers are turned back to float
/// in this order, each alone and one upon the other. That makes three runs of the samples for each layer, each of which
/// goes through them: they are a vector, or another range that begins anew. make_executor(graph) gives what runs a
/// graph, on as many threads as it likes. Its notes tell how many nodes have no name, and are not tried. Commits the
/// model, as saving it would.
template <class Samples, class MakeExecutor = MakeEvaluator>
Pass analyze(const Pass& quantize, Samples samples, LayerTrials trials = {}, MakeExecutor make_executor = {}) {
  const auto run = [quantize, samples = std::move(samples), trials = std::move(trials), make_executor](
                       Graph& graph, Context& context) {
    Report report;
    const detail::TrialRuns runs(graph, quantize, samples, trials.samples, make_executor, context);
    std::vector<LayerEffect> layers = runs.effects(trials, "analyze");
    std::set<std::string, std::less<>> in_float;
    const std::size_t count = std::min(trials.in_float, layers.size());
    for (std::size_t i = 0; i < count && !context.is_cancelled(); ++i) {
      in_float.insert(layers[i].node);
      layers[i].in_float_alone = runs.effect({layers[i].node}, trials.samples);
      layers[i].in_float_together = i > 0 ? runs.effect(in_float, trials.samples) : layers[i].in_float_alone;
      context.tell(Progress{"analyze", i + 1, count});
    }
    if (runs.nameless() != 0) report.notes.push_back(detail::note_of_nameless(runs.nameless()));
    if (context.is_cancelled()) {
      report.outcome = Outcome::cancelled;
    } else {
      Analysis& analysis =
          context.facts.provide(analyze(graph, runs.quantized({}).graph(), samples, make_executor));
      analysis.layers = std::move(layers);
    }
    return report;
  };
  return detail::needing(pass("analyze", run).template provides<Analysis>(), quantize);
}

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/quantize/tune/analyze.ipp>
#endif
