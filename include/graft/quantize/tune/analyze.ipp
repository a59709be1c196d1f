#pragma once
#include <graft/quantize/tune/analyze.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <set>
#include <utility>

#include <graft/config.hpp>
#include <graft/evaluate/any_executor.hpp>
#include <graft/graph/dtype.hpp>
#include <graft/graph/error.hpp>
#include <graft/graph/node.hpp>
#include <graft/graph/tensor.hpp>
#include <graft/graph/value.hpp>
#include <graft/qdq/extent.hpp>
#include <graft/quantize/detail/tensor_pairs.hpp>
#include <graft/quantize/tune/detail/trial_runs.hpp>
#include <graft/quantize/tune/signal_to_noise.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

namespace detail {

/// What the samples show of a pair of tensors, as long as both are float32 and of the same dims.
struct PairNoise {
  SignalToNoise power{};
  Range floats{}, quantized{};
  bool seen = false;

  void add(const Tensor& x, const Tensor& q) {
    if (x.dtype() != DType::f32 || q.dtype() != DType::f32 || x.dims() != q.dims()) return;
    seen = true;
    power.add(x.data<float>(), q.data<float>());
    floats.merge(extent_of(x.data<float>()).range);
    quantized.merge(extent_of(q.data<float>()).range);
  }
};

inline std::vector<TensorNoise> worst_first(const std::vector<TensorPair>& pairs,
                                            const std::vector<PairNoise>& noises) {
  std::vector<TensorNoise> tensors;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!noises[i].seen) continue;
    const Node* const maker = pairs[i].floats->producer();
    tensors.push_back({std::string(pairs[i].floats->name()), maker != nullptr ? std::string(maker->name()) : "",
                       noises[i].power.decibels(), noises[i].floats, noises[i].quantized});
  }
  std::stable_sort(tensors.begin(), tensors.end(),
                   [](const TensorNoise& a, const TensorNoise& b) { return a.decibels < b.decibels; });
  return tensors;
}

GRAFT_INLINE Analysis analyze_graphs(const Graph& floats, const Graph& quantized, const MeasuredOutputs* measured,
                                     const SampleSource& samples, const ExecutorFactory& make_executor,
                                     const Context& context) {
  const std::vector<TensorPair> pairs = tensor_pairs(floats, quantized);
  Fetches of_floats, of_quantized;
  for (const TensorPair& pair : pairs) {
    of_floats.emplace_back(pair.floats);
    of_quantized.emplace_back(pair.quantized);
  }
  const Fetches float_outputs = measured ? measured->in_floats(floats) : outputs_but_strings(floats);
  const Fetches quantized_outputs = measured ? measured->in_copy(quantized) : outputs_but_strings(quantized);
  of_floats.insert(of_floats.end(), float_outputs.begin(), float_outputs.end());
  of_quantized.insert(of_quantized.end(), quantized_outputs.begin(), quantized_outputs.end());

  AnyExecutor float_executor = make_executor(floats);
  AnyExecutor quantized_executor = make_executor(quantized);
  std::vector<PairNoise> noises(pairs.size());
  FidelityMeter outputs(measured ? are_embeddings(floats, measured->places()) : embedding_outputs(floats));
  const auto add = [&](std::size_t, const Sample& sample) {
    std::vector<Tensor> wanted = float_executor.run(by_name(sample.feeds), of_floats);
    std::vector<Tensor> given(quantized_outputs.size());
    quantized_executor.observe(by_name(sample.feeds), of_quantized, [&](std::size_t i, const Tensor& tensor) {
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
    return true;
  };
  if (for_first(samples, std::numeric_limits<std::size_t>::max(), context, add) == 0 && !context.is_cancelled())
    throw Error("there is no sample to measure on");
  return {worst_first(pairs, noises), outputs.fidelity(), {}};
}

}  // namespace detail

GRAFT_INLINE Pass analyze(const Pass& quantize, SampleSource samples, LayerTrials trials,
                          ExecutorFactory make_executor) {
  const auto run = [quantize, samples = std::move(samples), trials = std::move(trials),
                    make_executor = std::move(make_executor)](Graph& graph, Context& context) {
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
    Analysis analysis;
    if (!context.is_cancelled())
      analysis = detail::analyze_graphs(graph, runs.quantized({}).graph(), &runs.measured(), samples, make_executor,
                                        context);
    if (context.is_cancelled()) {
      report.outcome = Outcome::cancelled;
      return report;
    }
    analysis.layers = std::move(layers);
    context.facts.provide(std::move(analysis));
    return report;
  };
  return detail::needing(pass("analyze", run).provides<Analysis>(), quantize);
}

}  // namespace graft::inline v1
