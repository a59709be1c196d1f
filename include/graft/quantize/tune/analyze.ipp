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
#include <graft/quantize/tune/detail/trial_runs.hpp>
#include <graft/quantize/tune/signal_to_noise.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/facts.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

namespace detail {

/// The noise of a pair of tensors on the samples, as long as both are float32 and have the same dims.
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

GRAFT_INLINE Analysis analyze_graphs(const Graph& floats, const Graph& quantized, const std::vector<TensorPair>& pairs,
                                     const MeasuredOutputs& measured, const std::vector<const Value*>& outputs,
                                     const SampleSource& samples, const ExecutorFactory& make_executor,
                                     const Context& context) {
  Fetches of_floats, of_quantized;
  for (const TensorPair& pair : pairs) {
    of_floats.emplace_back(pair.floats);
    of_quantized.emplace_back(pair.quantized);
  }
  const Fetches float_outputs = measured.in_floats(floats);
  of_floats.insert(of_floats.end(), float_outputs.begin(), float_outputs.end());
  std::vector<std::size_t> compared;
  std::vector<Decision> decisions;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] == nullptr) continue;
    compared.push_back(i);
    decisions.push_back(measured.decisions()[i]);
    of_quantized.emplace_back(outputs[i]);
  }

  AnyExecutor float_executor = make_executor(floats);
  AnyExecutor quantized_executor = make_executor(quantized);
  std::vector<PairNoise> noises(pairs.size());
  FidelityMeter meter(std::move(decisions));
  const auto add = [&](std::size_t, const Sample& sample) {
    std::vector<Tensor> wanted = float_executor.run(by_name(sample.feeds), of_floats);
    const Feeds feeds = feeds_of_copy(quantized, sample.feeds, measured.take_selected(wanted));
    std::vector<Tensor> wanted_outputs, given(compared.size());
    quantized_executor.observe(feeds, of_quantized, [&](std::size_t i, const Tensor& tensor) {
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
    for (const std::size_t i : compared) wanted_outputs.push_back(std::move(wanted[pairs.size() + i]));
    meter.add(wanted_outputs, given);
    return true;
  };
  if (for_first(samples, std::numeric_limits<std::size_t>::max(), context, add) == 0 && !context.is_cancelled())
    throw Error("there is no sample to measure on");
  return {worst_first(pairs, noises), meter.fidelity(), {}};
}

}  // namespace detail

GRAFT_INLINE Pass analyze(const Pass& quantize, SampleSource samples, LayerTrialOptions trials,
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
      context.report_progress(Progress{"analyze", i + 1, count});
    }
    if (runs.nameless() != 0) report.notes.push_back(detail::note_of_nameless(runs.nameless()));
    Analysis analysis;
    if (!context.is_cancelled()) {
      const Model quantized = runs.quantized({});
      std::vector<const Value*> outputs;
      for (const ValueRef& output : runs.measured().in_copy(quantized.graph())) outputs.push_back(output.value());
      analysis = detail::analyze_graphs(graph, quantized.graph(), detail::tensor_pairs(graph, quantized.graph()),
                                        runs.measured(), outputs, samples, make_executor, context);
    }
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
