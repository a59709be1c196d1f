#pragma once
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <graft/evaluate.hpp>
#include <graft/graph.hpp>
#include <graft/quantize.hpp>
#include <graft/simplify.hpp>

#include "graft-quantize/options.hpp"
#include "support/prepare.hpp"
#include "support/progress_line.hpp"
#include "support/readable.hpp"

/// What the samples show of these values of the graph as it then is. Those that could not be read are noted.
template <graft::Statistic S>
graft::Statistics<S> gather(const graft::Graph& graph, const std::vector<const graft::Value*>& values,
                            const Calibration& calibration, const Samples& samples, S start, graft::Report& report) {
  Part part{graft::Statistics(std::move(start))};
  ProgressLine progress("calibrating");
  gather(graph, values, samples, calibration.gathering, part,
         [&](std::size_t done) { progress(done, samples.size()); });
  if (part.statistics.samples == 0) throw graft::Error("none can be read").file(calibration.data.string());
  report.notes = std::move(part.unreadable);
  return std::move(part.statistics);
}

/// Finds the ranges of the tensors that have none yet. Makes histograms too, where the observer gathers them.
inline graft::Pass calibrate(const Calibration& calibration, const Samples& samples) {
  const auto run = [calibration, samples](graft::Graph& graph, graft::Context& context) {
    graft::Report report;
    const auto* const known = context.facts.find<graft::Ranges>();
    graft::Ranges ranges = known != nullptr ? *known : graft::Ranges();
    std::vector<const graft::Value*> values = graft::observable(graph);
    std::erase_if(values, [&](const graft::Value* value) { return ranges.find(value->name()) != nullptr; });
    const auto observe = [&](const auto& observer) {
      auto seen = gather(graph, values, calibration, samples, observer.start(), report);
      ranges.merge(graft::ranges_of(observer, seen));
      context.facts.provide(std::move(seen));
    };
    if (!values.empty()) std::visit(observe, calibration.observer.observer());
    context.facts.provide(std::move(ranges));
    return report;
  };
  return graft::pass("calibrate", run).provides<graft::Ranges>().provides<graft::Statistics<graft::Histogram>>();
}

/// tells: of samples that could not be read.
template <graft::Statistic S>
graft::Pass observe_channels(std::vector<const graft::Value*> (*values)(const graft::Graph&),
                             const Calibration& calibration, const Samples& samples, bool tells) {
  const auto run = [=](graft::Graph& graph, graft::Context& context) {
    graft::Report report;
    context.facts.provide(gather(graph, values(graph), calibration, samples, S(), report));
    if (!tells) report.notes.clear();
    return report;
  };
  return graft::pass(std::string(S::fact_maker), run).template provides<graft::Statistics<S>>();
}

/// Channels that are dead on the samples lose huge weights, which leave their neighbours, or their own biases, no bits.
/// Samples are run again only for a model that has such weights.
inline graft::Pass zero_huge_dead_channels(const Calibration& calibration, const Samples& samples) {
  const auto run = [=](graft::Graph& graph, graft::Context& context) {
    graft::Report report;
    const auto values = graft::values_around_huge_weights(graph, *context.facts.find<graft::Ranges>());
    if (values.empty()) return report;
    context.facts.provide(gather(graph, values, calibration, samples, graft::ChannelExtremes(), report));
    return graft::zero_dead_channels({.values = 100}).run(graph, context);
  };
  return graft::pass("zero_huge_dead_channels", run).needs<graft::Ranges>().preserves_all();
}

/// The same pass, telling how far it is on standard error.
inline graft::Pass telling(const graft::Pass& pass, const char* what) {
  return graft::around(pass, [what](const graft::Pass& inner, graft::Graph& graph, graft::Context& context) {
    std::optional<ProgressLine> line;
    std::size_t last = 0;
    context.progress = [&](const graft::Progress& at) {
      if (at.done <= last || !line) line.emplace(what);  // it begins anew
      (*line)(last = at.done, at.total);
    };
    context.log = [](std::string_view message) {
      std::fprintf(stderr, "%.*s\n", static_cast<int>(message.size()), message.data());
    };
    graft::Report report = inner.run(graph, context);
    context.progress = {};
    context.log = {};
    return report;
  });
}

/// Histograms for the page, where the observer gathers none.
inline graft::Pass observe_histograms(const Calibration& calibration, const Samples& samples) {
  const auto run = [=](graft::Graph& graph, graft::Context& context) {
    graft::Report report;
    if (context.facts.find<graft::Statistics<graft::Histogram>>() == nullptr)
      context.facts.provide(gather(graph, graft::observable(graph), calibration, samples, graft::Histogram(), report));
    report.notes.clear();  // of samples that could not be read calibrating has told
    return report;
  };
  return graft::pass("observe_histograms", run).provides<graft::Statistics<graft::Histogram>>();
}

/// What runs graphs on the samples to try something out.
struct Trials {
  ReadableSamples samples;
  std::function<graft::Evaluator(const graft::Graph&)> executor;

  Trials(const Options& options, const Samples& all)
      : samples(all, options.calibration.gathering.keep_going),
        executor([pool = std::make_shared<graft::ThreadPool>(static_cast<int>(options.calibration.gathering.threads))](
                     const graft::Graph& graph) { return graft::Evaluator(graph, std::ref(*pool)); }) {}
};

/// Makes ranges of the histograms, those with which these passes will come nearest to float; ranges that are given
/// stay.
inline graft::Pass try_observers(const graft::Pass& quantize, const Options& options, const Samples& samples) {
  const Trials trials(options, samples);
  const auto nearest = [&](const graft::Pass& tried) {
    return telling(graft::nearest_ranges(tried, trials.samples, trials.executor), "trying observers");
  };
  if (options.given_ranges.empty()) return nearest(quantize);
  const graft::Pass given = graft::override_ranges(options.given_ranges);
  return nearest(given | quantize) | given;
}

/// What says which layers lose most, and leaves some in float, of what these passes will quantize.
inline graft::Pass with_trials(graft::Pass passes, const graft::Pass& quantize, const Options& options,
                        const Samples& samples) {
  const auto [readable, executor] = Trials(options, samples);
  if (options.keep_fewest)
    passes = passes | telling(graft::keep_fewest_in_float(options.goal, quantize, readable, options.trials, executor),
                              "trying layers in float");
  if (options.analyze)
    return passes | telling(graft::analyze(quantize, readable, options.trials, executor), "analyzing");
  if (options.html.empty()) return passes;
  graft::LayerTrials no_layers = options.trials;
  no_layers.candidates = {graft::NamePattern("(?!)")};
  const std::size_t parts = (samples.size() + no_layers.samples - 1) / no_layers.samples;
  const ReadableSamples first(samples.block(0, parts), options.calibration.gathering.keep_going);
  return passes | graft::analyze(quantize, first, no_layers, executor);
}

/// Whether what would stay in float is rewritten beforehand.
inline bool rewrites(graft::Placement placement) { return placement >= graft::Placement::conv_only; }

/// Names of the model as it came, which nodes may share, and which may be gone later.
inline graft::Pass exclude_given_names(const Options& options) {
  const auto without_notes = [](const graft::Pass& inner, graft::Graph& graph, graft::Context& context) {
    graft::Report report = inner.run(graph, context);
    report.notes.clear();
    return report;
  };
  return around(graft::exclude_nodes(options.excluded), without_notes);
}

/// Those that nodes get may be excluded too, and tell whether a pattern matches nothing.
inline graft::Pass unique_names(const Options& options) {
  const graft::Pass unique = graft::unique_node_names();
  return options.excluded.empty() ? unique : unique | graft::exclude_nodes(options.excluded);
}

/// What comes before calibration.
inline graft::Pass preparation(const Options& options) {
  using namespace graft;
  Pass passes = prepare(options.freeze_inputs);
  if (!options.excluded.empty()) passes = exclude_given_names(options) | passes;
  if (options.is_wide()) passes = passes | raise_opset(21);
  if (!rewrites(options.placement)) return passes | resize_all_axes() | unique_names(options);
  return passes | name_normalizations() | simplify() | float_islands(*options.target) | unique_names(options) |
         keep_compositions_in_float();
}

/// Tells at once, on standard error, which patterns match nothing: they may be typing errors, and calibration takes
/// long.
inline graft::Pass check_names(const Options& options) {
  return graft::pass("check_names", [=](graft::Graph& graph, graft::Context& context) {
    graft::Context scratch;
    scratch.facts.provide(graft::KeptInFloat::of(context.facts));
    scratch.facts.provide(graft::Ranges());
    const auto warn = [](const char* option, const std::vector<std::string>& notes) {
      for (const std::string& note : notes)
        std::fprintf(stderr, "graft-quantize: warning: %s: %s\n", option, note.c_str());
    };
    warn("--exclude", graft::exclude_nodes(options.excluded).run(graph, scratch).notes);
    warn("--set-range", graft::override_ranges(options.given_ranges).run(graph, scratch).notes);
    warn("--activations-of", graft::override_activations(options.given_activations).run(graph, scratch).notes);
    warn("--weights-of", options.weight_forms().unmatched(graph));
    return graft::Report();
  }).preserves_all();
}

/// Ranges from a file. Throws graft::Error naming it if they are of another model.
inline graft::Pass with_saved_ranges(const std::filesystem::path& file) {
  const auto run = [ranges = graft::load_ranges(file), file](graft::Graph& graph, graft::Context& context) {
    const std::vector<const graft::Value*> values = graft::observable(graph);
    const auto has_range = [&](const graft::Value* value) { return ranges.find(value->name()) != nullptr; };
    if (!values.empty() && std::none_of(values.begin(), values.end(), has_range))
      throw graft::Error("holds ranges of no tensor of this model").file(file.string());
    return graft::with_ranges(ranges).run(graph, context);
  };
  return graft::pass("with_ranges", run).provides<graft::Ranges>();
}

/// Weights that would have gone with dead channels, which samples alone tell.
inline graft::Pass note_huge_weights() {
  return graft::pass("note_huge_weights", [](graft::Graph& graph, graft::Context& context) {
    graft::Report report;
    if (!graft::values_around_huge_weights(graph, *context.facts.find<graft::Ranges>()).empty())
      report.notes.emplace_back(
          "weights are huge beside what they are multiplied by, as those of dead channels are: --calibration instead "
          "of --ranges would find these, which costs the others no accuracy then");
    return report;
  }).needs<graft::Ranges>();
}

/// All that is done to the model.
inline graft::Pass pipeline(const Options& options, const Samples& samples) {
  using namespace graft;
  const bool calibrates = samples.size() != 0;
  Pass passes = preparation(options) | check_names(options);
  if (options.keep_ends) passes = passes | keep_ends_in_float(*options.target);
  if (options.observes_channels())
    passes = passes | observe_channels<ChannelExtremes>(channel_values, options.calibration, samples,
                                                        !options.ranges.empty());
  if (options.zero_dead_channels) passes = passes | zero_dead_channels();
  if (options.equalize) passes = passes | equalize_weights();
  passes = passes | (options.ranges.empty() ? ::calibrate(options.calibration, samples)
                                            : with_saved_ranges(options.ranges));
  if (!options.given_ranges.empty() && !options.try_observers)
    passes = passes | override_ranges(options.given_ranges);
  if (!options.given_activations.empty()) passes = passes | override_activations(options.given_activations);
  passes = passes | (calibrates ? zero_huge_dead_channels(options.calibration, samples) : note_huge_weights());
  if (options.correct_biases) {
    const bool tells = !options.ranges.empty() && !options.observes_channels();
    passes = passes |
             observe_channels<ChannelMeans>(channel_inputs, options.calibration, samples, tells);
  }
  Pass quantize = inject_qdq(*options.target, options.placement);
  if (options.correct_biases) quantize = quantize | graft::correct_biases(options.weight_forms(), *options.target);
  if (options.commute) quantize = quantize | commute_dq_past_activation(*options.target);
  quantize = quantize | quantize_weights(options.weight_forms(), *options.target);
  quantize = quantize | quantize_embeddings(options.weight_forms(), *options.target);
  const Pass join = join_added_convs(options.weight_forms(), *options.target);
  const bool joins = rewrites(options.placement);
  if (options.try_observers)
    passes = passes | try_observers(joins ? join | quantize : quantize, options, samples);
  if (joins) passes = passes | join;
  if (!calibrates) return passes | quantize;
  if (!options.html.empty()) passes = passes | observe_histograms(options.calibration, samples);
  return with_trials(passes, quantize, options, samples) | quantize;
}

/// These ranges of what the placement calibrates on, and those of the tensors that only others have: placements that
/// rewrite the model beforehand, or those that do not.
inline graft::Ranges for_every_placement(const graft::Ranges& ranges, Options options, const Samples& samples) {
  if (!options.ranges.empty() || options.observes_channels() || options.try_observers) return ranges;
  options.placement = rewrites(options.placement) ? graft::Placement::naive : graft::Placement::min_cost;
  graft::Model model = graft::Model::load(options.model);
  graft::Context context;
  preparation(options).run(model, context);
  context.facts.provide(ranges);
  graft::Pass passes = ::calibrate(options.calibration, samples);
  if (!options.given_ranges.empty()) passes = passes | override_ranges(options.given_ranges);
  passes.run(model, context);
  return *context.facts.find<graft::Ranges>();
}
