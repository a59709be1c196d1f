#pragma once
#include <graft/quantize/run/detail/quantize_run.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/quantize/calibrate/calibrate.hpp>
#include <graft/quantize/calibrate/observe.hpp>
#include <graft/quantize/calibrate/observe_statistics.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/denormals.hpp>
#include <graft/quantize/calibrate/statistics/extremes.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>
#include <graft/quantize/calibrate/statistics/moments.hpp>
#include <graft/quantize/detail/run_samples.hpp>
#include <graft/quantize/prepare/dead_channels.hpp>
#include <graft/quantize/prepare/huge_weights.hpp>
#include <graft/quantize/run/detail/run_step.hpp>

// What a run gathers on samples.

namespace graft::inline v1::detail {

/// What is gathered of each part of the samples, and the values that it is gathered of.
template <Statistic S>
struct Wanted {
  std::vector<const Value*> values{};
  std::vector<Statistics<S>> parts;

  /// Leaves out what the facts know already.
  Wanted(std::vector<const Value*> all, std::size_t count, const Facts& facts)
      : values(std::move(all)), parts(values.empty() ? 0 : count) {
    if (const auto* const known = facts.find<Statistics<S>>())
      std::erase_if(values, [&](const Value* value) { return known->find(value->name()) != nullptr; });
  }
  /// What all parts but one have seen, and of what else facts know what `known` has.
  Statistics<S> merged(const Statistics<S>* known, std::size_t left_out) const {
    Statistics<S> all;
    if (known != nullptr) all = *known;
    all.samples = all.skipped = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i == left_out) continue;
      for (const auto& [name, statistic] : parts[i]) all.of(name).merge(statistic);
      all.samples += parts[i].samples;
      all.skipped += parts[i].skipped;
    }
    return all;
  }
  void provide(Facts& facts) const { facts.provide(merged(facts.find<Statistics<S>>(), parts.size())); }
};

GRAFT_INLINE void QuantizeRun::take_known_ranges() {
  const std::vector<const Value*> values = observable(model_.graph());
  const auto has_range = [&](const Value* value) { return options_.ranges->find(value->name()) != nullptr; };
  if (!values.empty() && std::ranges::none_of(values, has_range))
    throw Error("the ranges are of no tensor of this model").file(model_.file());
  context_.facts.provide(*options_.ranges);
}

GRAFT_INLINE bool QuantizeRun::observe(PreparedModel& base, const PreparedModel* known) {
  const Graph& graph = base.model->graph();
  Context& context = *base.context;
  const std::vector<SampleSource>& samples = folds_->calibrated;
  const std::vector<const Value*> none;
  Wanted<ChannelMeans> means(options_.correct_biases ? channel_inputs(graph) : none, samples.size(), context.facts);
  const bool wants_extremes = options_.equalize || options_.zero_dead_channels;
  Wanted<ChannelExtremes> extremes(wants_extremes ? channel_values(graph) : none, samples.size(), context.facts);
  const bool wants_moments = options_.correct_biases || (options_.smooth && !options_.ranges);
  Wanted<FeatureMoments> moments(wants_moments ? feature_inputs(graph) : none, samples.size(), context.facts);
  const auto run = [&](const std::vector<const Value*>& ranged, const std::vector<StatisticsSink>& ranges) {
    std::vector<const Value*> values;
    using Values = std::span<const Value* const>;
    for (const Values some : {Values(means.values), Values(extremes.values), Values(moments.values), Values(ranged)})
      values.insert(values.end(), some.begin(), some.end());
    if (values.empty()) return true;
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    Wanted<Denormals> denormals(known == nullptr ? values : none, samples.size(), context.facts);  // else few are new
    std::vector<SamplePart> parts;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      std::vector<StatisticsSink::Part> wanted;
      const auto add = [&](auto& one) {
        if (!one.values.empty()) wanted.emplace_back(one.values, StatisticsSink(one.parts[i]));
      };
      add(means);
      add(extremes);
      add(moments);
      if (!ranged.empty()) wanted.emplace_back(ranged, ranges[i]);
      add(denormals);
      parts.push_back({samples[i], StatisticsSink(wanted)});
    }
    const auto start = std::chrono::steady_clock::now();
    Report report =
        run_samples(graph, values, parts, options_.make_executor.value_or(ExecutorFactory()), context, "calibrate");
    for (std::string& note : notes_on_denormals(denormals.merged(nullptr, samples.size())))
      warn(std::move(note), context, result_.passes);
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report.nodes_before = report.nodes_after = graph.nodes().size();
    result_.calibration_samples = 0;
    for (const SamplePart& part : parts)
      result_.calibration_samples += static_cast<std::size_t>(part.statistics.samples());
    const bool goes_on = report.outcome != Outcome::cancelled;
    report_unreadable(std::move(report));
    return goes_on;
  };
  if (options_.ranges) {
    if (!run({}, {})) return false;
  } else if (!choices_.empty()) {
    Wanted<Histogram> histograms(observable(graph), samples.size(), context.facts);
    std::vector<StatisticsSink> sinks;
    for (Statistics<Histogram>& part : histograms.parts) sinks.emplace_back(part);
    if (!run(histograms.values, sinks)) return false;
    for (std::size_t fold = 0; samples.size() > 1 && fold < samples.size(); ++fold) {
      Statistics<Histogram> seen;  // of tensors that are still what they were
      if (const auto* const all = context.facts.find<Statistics<Histogram>>(); all != nullptr && known != nullptr)
        for (const auto& [name, histogram] : known->without[fold])
          if (all->find(name) != nullptr) seen.of(name) = histogram;
      base.without.push_back(histograms.merged(&seen, fold));
    }
    histograms.provide(context.facts);
  } else {
    std::vector<const Value*> values = observable(graph);
    Ranges ranges;
    if (const Ranges* const found = context.facts.find<Ranges>()) ranges = *found;
    std::erase_if(values, [&](const Value* value) { return ranges.find(value->name()) != nullptr; });
    const auto found = options_.observer.ranges([&](const StatisticsSink& sink) { return run(values, {sink}); });
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

GRAFT_INLINE Ranges QuantizeRun::ranges_without(const PreparedModel& base, std::size_t choice, std::size_t fold) const {
  return base.without.empty() ? ranges_of_choice(*base.context, choice)
                              : ranges_of(choices_[choice], base.without[fold]);
}

GRAFT_INLINE Ranges QuantizeRun::with_overrides(Ranges ranges) const {
  Context scratch;
  scratch.facts.provide(std::move(ranges));
  override_ranges(options_.range_overrides).run(model_, scratch);
  return *scratch.facts.find<Ranges>();
}

}  // namespace graft::inline v1::detail
