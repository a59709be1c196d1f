#pragma once
#include <graft/quantize/run/detail/way_trials.hpp>

#include <algorithm>

#include <graft/config.hpp>
#include <graft/evaluate/evaluate_node.hpp>
#include <graft/graph/error.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/detail/count_quantizers.hpp>
#include <graft/quantize/detail/outputs_on_samples.hpp>
#include <graft/quantize/run/detail/typical_time.hpp>

namespace graft::inline v1::detail {

/// Puts the floats in place of constants that are dequantized, which each run would dequantize anew.
inline void dequantize_constants(Graph& graph) {
  for (Node& node : graph.nodes()) {
    const auto is_known = [](const Value* input) { return input == nullptr || input->is_constant(); };
    if (!is_dequantize(node) || !std::ranges::all_of(node.inputs(), is_known)) continue;
    std::vector<Tensor> inputs;
    for (const Value* const input : node.inputs())
      inputs.push_back(input == nullptr ? Tensor() : input->constant().value_or(Tensor()));
    Value& output = *node.output(0);
    Value& floats = graph.add_initializer(evaluate(node, std::move(inputs))[0], std::string(output.name()) + "_float");
    static_cast<void>(graph.replace_uses(output, floats));  // not where it is an output of the graph
  }
}

GRAFT_INLINE WayTrials::WayTrials(const Graph& floats, const SampleSource& samples, std::size_t most,
                                  ExecutorFactory make_executor, const Context& context)
    : embeddings_(embedding_outputs(floats)), make_executor_(std::move(make_executor)) {
  AnyExecutor executor = make_executor_(floats);
  const Fetches outputs = measured_outputs(floats);
  const auto run = [&](const Sample& sample) {
    if (context.is_cancelled()) return false;
    try {
      floats_.push_back(executor.run(sample.feeds, outputs));
    } catch (Error& error) {
      throw on_sample(error, sample, "sample " + std::to_string(samples_.size()));
    }
    FidelityMeter::count_rows(floats_.back(), rows_);
    samples_.push_back(sample);
    samples_.back().feeds = by_name(sample.feeds);
    return samples_.size() < most;
  };
  samples.for_each(run, [&](const std::string& why) { unreadable_.push_back(why); });
}

GRAFT_INLINE WayResult WayTrials::measure(Model& model, const Context& known, const Pass& passes,
                                          const Target& target, double least_cosine) const {
  Model copy = model.clone();
  Context context = known;
  context.log = {};
  context.progress = {};
  passes.run(copy, context);
  const std::size_t quantizers = count_quantizers(copy.graph());
  const double time = typical_time(copy.graph(), audit(copy.graph(), target), target, known).quantized;
  dequantize_constants(copy.graph());
  const bool has_weight_only = count_weight_only(copy.graph()) != 0;
  AnyExecutor executor = make_executor_(copy.graph());
  const Fetches outputs = measured_outputs(copy.graph());
  FidelityMeter meter(embeddings_);
  std::size_t i = 0;
  for (; i < samples_.size() && !known.is_cancelled() && meter.greatest_cosine(rows_) >= least_cosine; ++i) {
    try {
      meter.add(floats_[i], executor.run(samples_[i].feeds, outputs));
    } catch (Error& error) {
      throw on_sample(error, samples_[i], "held-out sample " + std::to_string(i));
    }
  }
  return {meter.fidelity(), quantizers != 0 || has_weight_only, time, i < samples_.size()};
}

}  // namespace graft::inline v1::detail
