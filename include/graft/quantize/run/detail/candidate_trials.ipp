#pragma once
#include <graft/quantize/run/detail/candidate_trials.hpp>

#include <algorithm>
#include <optional>

#include <graft/config.hpp>
#include <graft/evaluate/evaluate_node.hpp>
#include <graft/graph/error.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/detail/count_quantizers.hpp>
#include <graft/quantize/detail/outputs_on_samples.hpp>
#include <graft/quantize/run/detail/typical_time.hpp>

namespace graft::inline v1::detail {

/// Puts the floats in place of constants that are dequantized, which each run would dequantize again.
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

GRAFT_INLINE CandidateTrials::CandidateTrials(const Graph& floats, const std::vector<SampleSource>& folds,
                                              std::size_t most, ExecutorFactory make_executor, const Context& context)
    : measured_(floats), make_executor_(std::move(make_executor)) {
  AnyExecutor executor = make_executor_(floats);
  const Fetches outputs = measured_.in_floats(floats);
  for (std::size_t fold = 0; fold < folds.size(); ++fold) {
    std::size_t count = 0;
    const auto run = [&](const Sample& sample) {
      if (context.is_cancelled()) return false;
      try {
        floats_.push_back(executor.run(sample.feeds, outputs));
      } catch (Error& error) {
        throw on_sample(error, sample, "sample " + std::to_string(samples_.size()));
      }
      selected_.push_back(measured_.take_selected(floats_.back()));
      FidelityMeter::count_rows(floats_.back(), rows_);
      samples_.push_back(sample);
      samples_.back().feeds = by_name(sample.feeds);
      folds_.push_back(fold);
      return ++count < most;
    };
    folds[fold].for_each(run, [&](const std::string& why) { unreadable_.push_back(why); });
  }
}

GRAFT_INLINE Judgement CandidateTrials::measure(Model& model, const Context& known, const Pass& passes,
                                                const Target& target, double least_cosine) const {
  return measure(
      model, known, [&](std::size_t) { return passes; }, target, least_cosine, nullptr, false);
}

GRAFT_INLINE Judgement CandidateTrials::measure(Model& model, const Context& known, const Quantizing& passes,
                                                const Target& target, double least_cosine, const Judgement* simpler,
                                                bool in_folds) const {
  Judgement result;
  FidelityMeter meter(measured_.decisions());
  std::optional<TrialCopy> copy;
  std::optional<AnyExecutor> executor;
  Fetches outputs;
  const Pass measuring =
      pass("measured_outputs", [this](Graph& graph, Context&) { measured_.add_to(graph); }).preserves_all();
  for (std::size_t i = 0; i < samples_.size() && !known.is_cancelled(); ++i) {
    const bool begins = i == 0 || (in_folds && folds_[i] != folds_[i - 1]);
    result.ended_early =
        meter.greatest_cosine(rows_) < least_cosine || (begins && simpler != nullptr && result.is_behind(*simpler));
    if (result.ended_early) break;
    if (begins) {
      executor.reset();
      copy.emplace(model, known, measuring | passes(folds_[i]));
      Graph& graph = copy->model.graph();
      if (i == 0) {
        result.time = typical_time(graph, audit(graph, target), target, known).quantized;
        result.is_quantized = count_quantizers(graph) != 0 || count_weight_only(graph) != 0;
      }
      dequantize_constants(graph);
      executor.emplace(make_executor_(graph));
      outputs = measured_.in_copy(graph);
    }
    try {
      const Feeds feeds = feeds_of_copy(copy->model.graph(), samples_[i].feeds, selected_[i]);
      result.errors.push_back(1 - meter.add(floats_[i], executor->run(feeds, outputs)));
    } catch (Error& error) {
      throw on_sample(error, samples_[i], "held-out sample " + std::to_string(i));
    }
  }
  result.fidelity = meter.fidelity();
  return result;
}

GRAFT_INLINE CandidateTrials judging_trials(QuantizeCall& call, SampleFolds& folds, std::size_t most) {
  const auto on = [&](const std::vector<SampleSource>& samples) {
    return CandidateTrials(call.model.graph(), samples, most, call.trial_executor, call.context);
  };
  CandidateTrials trials = on(folds.judging);
  if (!trials.unreadable().empty()) {
    Report report;
    report.pass = "compare";
    report.unreadable = trials.unreadable();
    for (const std::string& why : report.unreadable) report.notes.push_back("could not be read: " + why);
    call.result.passes.add(std::move(report));
  }
  if (trials.samples() != 0 || !folds.are_unseen) return trials;
  folds.are_unseen = false;
  return on(folds.calibrated);
}

}  // namespace graft::inline v1::detail
