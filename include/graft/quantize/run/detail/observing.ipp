#pragma once
#include <graft/quantize/run/detail/quantize_run.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/calibrate/observe.hpp>
#include <graft/quantize/calibrate/observe_channels.hpp>
#include <graft/quantize/calibrate/observe_features.hpp>
#include <graft/quantize/calibrate/override_ranges.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/channel_extremes.hpp>
#include <graft/quantize/calibrate/statistics/channel_means.hpp>
#include <graft/quantize/calibrate/statistics/denormals.hpp>
#include <graft/quantize/calibrate/statistics/feature_moments.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>
#include <graft/quantize/detail/run_samples.hpp>
#include <graft/quantize/prepare/dead_channels.hpp>
#include <graft/quantize/prepare/huge_weights.hpp>
#include <graft/quantize/run/detail/run_step.hpp>
#include <graft/quantize/run/detail/sample_split.hpp>

// What a run gathers on samples.

namespace graft::inline v1::detail {

/// What is gathered, and the values that it is gathered of.
template <Statistic S>
struct Wanted {
  std::vector<const Value*> values{};
  Statistics<S> statistics{};

  /// Leaves out what the facts know already.
  Wanted(std::vector<const Value*> all, const Facts& facts) : values(std::move(all)) {
    if (const auto* const known = facts.find<Statistics<S>>())
      std::erase_if(values, [&](const Value* value) { return known->find(value->name()) != nullptr; });
  }
  /// Joins what was gathered of other values, on the same samples.
  void provide(Facts& facts) {
    if (const auto* const known = facts.find<Statistics<S>>())
      for (const auto& [name, statistic] : *known)
        if (statistics.find(name) == nullptr) statistics.of(name) = statistic;
    facts.provide(std::move(statistics));
  }
};

GRAFT_INLINE void QuantizeRun::hold_out_samples() {
  SampleSplit split(*samples_, tries() ? options_.held_out_at_most : 0);
  calibration_ = std::move(split.calibration);
  held_out_ = std::move(split.held_out);
  result_.held_out_samples = split.held_out_samples;
}

GRAFT_INLINE void QuantizeRun::take_known_ranges() {
  const std::vector<const Value*> values = observable(model_.graph());
  const auto has_range = [&](const Value* value) { return options_.ranges->find(value->name()) != nullptr; };
  if (!values.empty() && std::ranges::none_of(values, has_range))
    throw Error("the ranges are of no tensor of this model").file(model_.file());
  context_.facts.provide(*options_.ranges);
}

GRAFT_INLINE bool QuantizeRun::observe(Model& model, Context& context) {
  const Graph& graph = model.graph();
  Wanted<ChannelMeans> means(options_.correct_biases ? channel_inputs(graph) : std::vector<const Value*>(),
                             context.facts);
  const bool wants_extremes = options_.equalize || options_.zero_dead_channels;
  Wanted<ChannelExtremes> extremes(wants_extremes ? channel_values(graph) : std::vector<const Value*>(), context.facts);
  const bool wants_moments = options_.correct_biases || (options_.smooth && !options_.ranges);
  Wanted<FeatureMoments> moments(wants_moments ? feature_inputs(graph) : std::vector<const Value*>(), context.facts);
  std::vector<StatisticsSink::Part> parts;
  if (!means.values.empty()) parts.emplace_back(means.values, StatisticsSink(means.statistics));
  if (!extremes.values.empty()) parts.emplace_back(extremes.values, StatisticsSink(extremes.statistics));
  if (!moments.values.empty()) parts.emplace_back(moments.values, StatisticsSink(moments.statistics));
  const auto run = [&](std::vector<const Value*> ranged, const StatisticsSink& ranges) {
    if (!ranged.empty()) parts.emplace_back(ranged, ranges);
    if (parts.empty()) return true;
    std::vector<const Value*> values;
    for (const auto& [some, sink] : parts) values.insert(values.end(), some.begin(), some.end());
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    Statistics<Denormals> denormals;
    std::vector<StatisticsSink::Part> all = parts;
    all.emplace_back(values, StatisticsSink(denormals));
    const auto start = std::chrono::steady_clock::now();
    Report report = run_samples(graph, values, *calibration_, options_.make_executor.value_or(ExecutorFactory()),
                                StatisticsSink(all), context, "calibrate");
    for (std::string& note : notes_on_denormals(denormals)) warn(std::move(note));
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report.nodes_before = report.nodes_after = graph.nodes().size();
    result_.calibration_samples = static_cast<std::size_t>(parts.front().second.samples());
    const bool goes_on = report.outcome != Outcome::cancelled;
    report_unreadable(std::move(report));
    return goes_on;
  };
  if (options_.ranges) {
    Statistics<ChannelMeans> none;
    if (!run({}, StatisticsSink(none))) return false;
  } else if (!choices_.empty()) {
    Wanted<Histogram> histograms(observable(graph), context.facts);
    if (!run(histograms.values, StatisticsSink(histograms.statistics))) return false;
    histograms.provide(context.facts);
  } else {
    std::vector<const Value*> values = observable(graph);
    Ranges ranges;
    if (const Ranges* const known = context.facts.find<Ranges>()) ranges = *known;
    std::erase_if(values, [&](const Value* value) { return ranges.find(value->name()) != nullptr; });
    const auto found = options_.observer.ranges([&](const StatisticsSink& sink) { return run(values, sink); });
    if (!found) return false;
    ranges.merge(*found);
    context.facts.provide(std::move(ranges));
  }
  if (options_.correct_biases) means.provide(context.facts);
  if (wants_extremes) extremes.provide(context.facts);
  if (wants_moments) moments.provide(context.facts);
  return true;
}

GRAFT_INLINE void QuantizeRun::report_unreadable(Report report) {
  report.pass = "calibrate";
  const auto is_known = [](const Report& step) { return step.pass == "calibrate"; };
  if (std::ranges::any_of(result_.passes.steps, is_known)) report.notes.clear();  // the same samples again
  result_.passes.add(std::move(report));
}

GRAFT_INLINE void QuantizeRun::drop_dead_channels(const Ranges& ranges) {
  const auto* const all = context_.facts.find<Statistics<ChannelExtremes>>();
  const bool zeroes = options_.zero_dead_channels && all != nullptr;
  if (zeroes) step(graft::zero_dead_channels());
  const std::vector<const Value*> values = values_around_huge_weights(model_.graph(), ranges);
  if (values.empty()) return;
  if (!zeroes)
    return warn(
        "some weights are huge, as in dead channels, and reduce the accuracy of the others; "
        "zero_dead_channels() finds these channels, on samples",
        context_, result_.passes);
  const Statistics<ChannelExtremes> kept = *all;
  Statistics<ChannelExtremes> around;
  for (const Value* const value : values)
    if (const ChannelExtremes* const extremes = kept.find(value->name())) around.of(value->name()) = *extremes;
  context_.facts.provide(std::move(around));
  step(graft::zero_dead_channels({.values = 100}).named("zero_huge_dead_channels"));
  context_.facts.provide(kept);
}

GRAFT_INLINE Ranges QuantizeRun::ranges_of_choice(const Context& context, std::size_t choice) const {
  if (choices_.empty()) return *context.facts.find<Ranges>();
  return ranges_of(choices_[choice], *context.facts.find<Statistics<Histogram>>());
}

GRAFT_INLINE Ranges QuantizeRun::with_overrides(Ranges ranges) const {
  Context scratch;
  scratch.facts.provide(std::move(ranges));
  override_ranges(options_.range_overrides).run(model_, scratch);
  return *scratch.facts.find<Ranges>();
}

}  // namespace graft::inline v1::detail
