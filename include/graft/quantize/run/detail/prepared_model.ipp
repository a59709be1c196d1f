#pragma once
#include <graft/quantize/run/detail/prepared_model.hpp>

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
#include <graft/quantize/calibrate/observers/from_extremes.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/denormals.hpp>
#include <graft/quantize/calibrate/statistics/extremes.hpp>
#include <graft/quantize/calibrate/statistics/histogram.hpp>
#include <graft/quantize/calibrate/statistics/moments.hpp>
#include <graft/quantize/detail/run_samples.hpp>
#include <graft/quantize/prepare/dead_channels.hpp>
#include <graft/quantize/prepare/huge_weights.hpp>

namespace graft::inline v1::detail {

GRAFT_INLINE RangePlan::RangePlan(const QuantizeOptions& options) {
  const StaticOptions& given = options.static_options();
  known = given.ranges.known();
  compares = !given.candidates.empty();
  if (known != nullptr) return;
  methods = given.ranges.methods();
  if (methods.empty()) throw Error("holds neither methods nor ranges").field("ranges");
  compares |= options.compare || methods.size() > 1;
  const auto without_histograms = std::ranges::find(methods, false, &RangeMethod::reads_histograms);
  if (methods.size() > 1) {
    if (without_histograms != methods.end())
      throw Error("the method '" + without_histograms->name() + "' reads no histograms, so it must be the only one")
          .field("ranges");
    has_simplest_ = options.compare;
    if (has_simplest_) methods.emplace_back(MinMax());
  } else if (without_histograms != methods.end() || !(options.compare || methods[0].gathers_histograms())) {
    only = methods[0];
    methods.clear();
  }
}

GRAFT_INLINE Ranges PreparedModel::ranges(const RangePlan& plan, std::size_t method) const {
  if (plan.methods.empty()) return *context->facts.find<Ranges>();
  return ranges_of(plan.methods[method], *context->facts.find<Statistics<Histogram>>());
}

GRAFT_INLINE Ranges PreparedModel::ranges_without(const RangePlan& plan, std::size_t method, std::size_t fold) const {
  return without.empty() ? ranges(plan, method) : ranges_of(plan.methods[method], without[fold]);
}

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

GRAFT_INLINE bool observe(QuantizeCall& call, const RangePlan& plan, const std::vector<SampleSource>& samples,
                          PreparedModel& base, const PreparedModel* known) {
  const StaticOptions& options = call.static_options();
  const Graph& graph = base.model->graph();
  Context& context = *base.context;
  const std::vector<const Value*> none;
  Wanted<ChannelMeans> means(options.correct_biases ? channel_inputs(graph) : none, samples.size(), context.facts);
  const bool wants_extremes = options.equalize || options.zero_dead_channels;
  Wanted<ChannelExtremes> extremes(wants_extremes ? channel_values(graph) : none, samples.size(), context.facts);
  const bool wants_moments = options.correct_biases || (options.smooth && plan.known == nullptr);
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
    Report report = run_samples(graph, values, parts, call.executor, context, "calibrate");
    report.pass = "calibrate";
    if (known != nullptr) report.notes.clear();  // the same samples again
    for (std::string& note : notes_on_denormals(denormals.merged(nullptr, samples.size()))) call.warn(std::move(note));
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report.nodes_before = report.nodes_after = graph.nodes().size();
    call.result.calibration_samples = 0;
    for (const SamplePart& part : parts)
      call.result.calibration_samples += static_cast<std::size_t>(part.statistics.samples());
    const bool goes_on = report.outcome != Outcome::cancelled;
    call.result.passes.add(std::move(report));
    return goes_on;
  };
  if (plan.known != nullptr) {
    if (!run({}, {})) return false;
  } else if (!plan.methods.empty()) {
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
    const auto found = plan.only->find([&](const StatisticsSink& sink) { return run(values, {sink}); });
    if (!found) return false;
    ranges.merge(*found);
    context.facts.provide(std::move(ranges));
  }
  if (options.correct_biases) means.provide(context.facts);
  if (wants_extremes) extremes.provide(context.facts);
  if (wants_moments) moments.provide(context.facts);
  return true;
}

GRAFT_INLINE void drop_dead_channels(QuantizeCall& call, const Ranges& ranges) {
  Facts& facts = call.context.facts;
  const auto* const all = facts.find<Statistics<ChannelExtremes>>();
  const bool zeroes = call.static_options().zero_dead_channels && all != nullptr;
  if (zeroes) call.step(zero_dead_channels());
  const std::vector<const Value*> values = values_around_huge_weights(call.model.graph(), ranges);
  if (values.empty()) return;
  if (!zeroes)
    return call.warn(
        "some weights are huge, as in dead channels, and reduce the accuracy of the others; "
        "zero_dead_channels() finds these channels, on samples");
  const Statistics<ChannelExtremes> kept = *all;
  Statistics<ChannelExtremes> around;
  for (const Value* const value : values)
    if (const ChannelExtremes* const extremes = kept.find(value->name())) around.of(value->name()) = *extremes;
  facts.provide(std::move(around));
  call.step(zero_dead_channels({.values = 100}).named("zero_huge_dead_channels"));
  facts.provide(kept);
}

}  // namespace graft::inline v1::detail
