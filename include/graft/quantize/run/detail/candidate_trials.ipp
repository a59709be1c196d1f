#pragma once
#include <graft/quantize/run/detail/candidate_trials.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <graft/config.hpp>
#include <graft/evaluate/evaluate_node.hpp>
#include <graft/graph/error.hpp>
#include <graft/qdq/qdq.hpp>
#include <graft/quantize/audit/audit.hpp>
#include <graft/quantize/detail/count_quantizers.hpp>
#include <graft/quantize/detail/outputs_on_samples.hpp>
#include <graft/quantize/run/detail/trial_copy.hpp>
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

GRAFT_INLINE bool CandidateResult::is_nearer(const CandidateResult& simpler) const {
  const std::size_t count = std::min(errors.size(), simpler.errors.size());
  if (count == 0) return false;
  const auto n = static_cast<double>(count);
  double lead = 0, greatest = 0, squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    lead += (simpler.errors[i] - errors[i]) / n;
    greatest += simpler.errors[i] / n;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double rest = simpler.errors[i] - errors[i] - lead;
    squares += rest * rest;
  }
  const double standard_error = count == 1 ? 0 : std::sqrt(squares / (n - 1) / n);
  return lead > standard_error && lead > least_lead * greatest;
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

GRAFT_INLINE CandidateResult CandidateTrials::measure(Model& model, const Context& known, const Pass& passes,
                                                      const Target& target, double least_cosine) const {
  return measure(
      model, known, [&](std::size_t) { return passes; }, target, least_cosine, nullptr, false);
}

GRAFT_INLINE CandidateResult CandidateTrials::measure(Model& model, const Context& known, const Quantizing& passes,
                                                      const Target& target, double least_cosine,
                                                      const CandidateResult* simpler, bool in_folds) const {
  CandidateResult result;
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

}  // namespace graft::inline v1::detail
