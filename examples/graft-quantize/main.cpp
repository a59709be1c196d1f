// graft-quantize: a float model in, an 8-bit model out that the runtime computes in integers.
#include <cstdio>
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

#include "graft-quantize/drawing.hpp"
#include "graft-quantize/options.hpp"
#include "graft-quantize/page.hpp"
#include "graft-quantize/report.hpp"
#include "support/prepare.hpp"
#include "support/progress_line.hpp"
#include "support/readable.hpp"
#include "support/writable.hpp"

namespace {

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

/// Finds the ranges of the tensors that have none yet.
graft::Pass calibrate(const Calibration& calibration, const Samples& samples) {
  const auto run = [calibration, samples](graft::Graph& graph, graft::Context& context) {
    graft::Report report;
    const auto* const known = context.facts.find<graft::Ranges>();
    graft::Ranges ranges = known != nullptr ? *known : graft::Ranges();
    std::vector<const graft::Value*> values = graft::observable(graph);
    std::erase_if(values, [&](const graft::Value* value) { return ranges.find(value->name()) != nullptr; });
    if (values.empty()) return report;
    std::visit(
        [&](const auto& observer) {
          auto seen = gather(graph, values, calibration, samples, observer.start(), report);
          ranges.merge(graft::ranges_of(observer, seen));
          context.facts.provide(std::move(seen));
        },
        calibration.observer.observer());
    context.facts.provide(std::move(ranges));
    return report;
  };
  return graft::pass("calibrate", run).makes({"ranges"});
}

/// tells: of samples that could not be read.
template <graft::Statistic S>
graft::Pass observe_channels(const char* fact, std::vector<const graft::Value*> (*values)(const graft::Graph&),
                             const Calibration& calibration, const Samples& samples, bool tells) {
  const auto run = [=](graft::Graph& graph, graft::Context& context) {
    graft::Report report;
    context.facts.provide(gather(graph, values(graph), calibration, samples, S(), report));
    if (!tells) report.notes.clear();
    return report;
  };
  return graft::pass("observe_" + std::string(fact), run).makes({fact});
}

/// Channels that are dead on the samples lose huge weights, which leave their neighbours, or their own biases, no bits.
/// Samples are run again only for a model that has such weights.
graft::Pass zero_huge_dead_channels(const Calibration& calibration, const Samples& samples) {
  const auto run = [=](graft::Graph& graph, graft::Context& context) {
    graft::Report report;
    const auto values = graft::values_around_huge_weights(graph, *context.facts.find<graft::Ranges>());
    if (values.empty()) return report;
    context.facts.provide(gather(graph, values, calibration, samples, graft::ChannelExtremes(), report));
    return graft::zero_dead_channels({.values = 100}).run(graph, context);
  };
  return graft::pass("zero_huge_dead_channels", run);
}

/// The same pass, telling how far it is on standard error.
graft::Pass telling(const graft::Pass& pass, const char* what) {
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
graft::Pass observe_histograms(const Calibration& calibration, const Samples& samples) {
  const auto run = [=](graft::Graph& graph, graft::Context& context) {
    graft::Report report;
    if (context.facts.find<graft::Statistics<graft::Histogram>>() == nullptr)
      context.facts.provide(gather(graph, graft::observable(graph), calibration, samples, graft::Histogram(), report));
    report.notes.clear();  // of samples that could not be read calibrating has told
    return report;
  };
  return graft::pass("observe_histograms", run);
}

/// What says which layers lose most, and leaves some in float, of what these passes will quantize.
graft::Pass with_trials(graft::Pass passes, const graft::Pass& quantize, const Options& options,
                        const Samples& samples) {
  const ReadableSamples readable(samples, options.calibration.gathering.keep_going);
  const auto pool = std::make_shared<graft::ThreadPool>(static_cast<int>(options.calibration.gathering.threads));
  const auto executor = [pool](const graft::Graph& graph) { return graft::Evaluator(graph, std::ref(*pool)); };
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
  return passes | telling(graft::analyze(quantize, first, no_layers, executor), "comparing");
}

/// Whether what would stay in float is rewritten beforehand.
bool rewrites(graft::Placement placement) { return placement >= graft::Placement::conv_only; }

/// What comes before calibration.
graft::Pass preparation(const Options& options) {
  using namespace graft;
  Pass passes = prepare(options.freeze_inputs);
  if (options.is_wide()) passes = passes | raise_opset(21);
  if (!rewrites(options.placement)) return passes | unique_node_names();
  return passes | name_normalizations() | simplify() | float_islands(*options.target) | unique_node_names() |
         keep_compositions_in_float();
}

graft::Pass pipeline(const Options& options, const graft::Model& model, const Samples& samples) {
  using namespace graft;
  Pass passes = preparation(options);
  if (!options.excluded.empty()) passes = passes | keep_in_float(options.excluded);
  if (options.keep_ends) passes = passes | keep_ends_in_float(*options.target);
  if (options.observes_channels())
    passes = passes | observe_channels<ChannelExtremes>("channel_extremes", channel_values, options.calibration,
                                                        samples, !options.ranges.empty());
  if (options.zero_dead_channels) passes = passes | zero_dead_channels();
  if (options.equalize) passes = passes | equalize_weights();
  passes = passes | (options.ranges.empty() ? ::calibrate(options.calibration, samples)
                                            : with_ranges(load_ranges(options.ranges)));
  if (!options.given_ranges.empty()) passes = passes | override_ranges(options.given_ranges);
  if (!options.given_activations.empty()) passes = passes | override_activations(options.given_activations);
  if (calibrates) passes = passes | zero_huge_dead_channels(options.calibration, samples);
  if (options.correct_biases) {
    const bool tells = !options.ranges.empty() && !options.observes_channels();
    passes = passes |
             observe_channels<ChannelMeans>("channel_means", channel_inputs, options.calibration, samples, tells);
  }
  Pass quantize = inject_qdq(*options.target, options.placement);
  if (options.correct_biases) quantize = quantize | graft::correct_biases(options.weight_forms(), *options.target);
  if (options.commute) quantize = quantize | commute_dq_past_activation(*options.target);
  quantize = quantize | quantize_weights(options.weight_forms(), *options.target);
  if (!calibrates) return passes | quantize;
  if (!options.html.empty()) passes = passes | observe_histograms(options.calibration, samples);
  return with_trials(passes, quantize, options, samples) | quantize;
}

/// These ranges of what the placement calibrates on, and those of the tensors that only others have: placements that
/// rewrite the model beforehand, or those that do not.
graft::Ranges for_every_placement(const graft::Ranges& ranges, Options options, const Samples& samples) {
  if (!options.ranges.empty() || options.observes_channels()) return ranges;
  options.placement = rewrites(options.placement) ? graft::Placement::naive : graft::Placement::whole_graph;
  graft::Model model = graft::Model::load(options.model);
  graft::Context context;
  preparation(options).run(model, context);
  context.facts.provide(ranges);
  graft::Pass passes = ::calibrate(options.calibration, samples);
  if (!options.given_ranges.empty()) passes = passes | override_ranges(options.given_ranges);
  passes.run(model, context);
  return *context.facts.find<graft::Ranges>();
}

/// A name that nothing has may be a typing error.
void warn_of_unmatched(const graft::Report& passes) {
  for (const graft::Report& step : passes.steps)
    for (const std::string& note : step.notes)
      if (note.rfind("no node is called ", 0) == 0 || note.rfind("no tensor is called ", 0) == 0)
        std::fprintf(stderr, "graft-quantize: warning: %s\n", note.c_str());
}

/// What a runtime may refuse; the model is quantized all the same.
void warn_of_problems(graft::Model& model) {
  const std::vector<graft::Problem> problems = graft::verify(model);
  const std::size_t most = 5;
  for (std::size_t i = 0; i < problems.size() && i < most; ++i)
    std::fprintf(stderr, "graft-quantize: warning: %s\n", graft::to_string(problems[i]).c_str());
  if (problems.size() > most) std::fprintf(stderr, "graft-quantize: and %zu more\n", problems.size() - most);
}

/// For a model of which nothing is quantized: newer operators, which quantizers need, are unknown to some fusions
/// that runtimes have for it in float. ONNX Runtime 1.24 knows the mask of an attention below opset 13 alone.
void leave_as_it_was(graft::Model& model, const Options& options) {
  model = graft::Model::load(options.model);
  if (options.freeze_inputs) graft::freeze_inputs().run(model);
}

void run(const Options& options) {
  graft::Model model = graft::Model::load(options.model);
  graft::check_initializers(model);
  warn_of_problems(model);
  check_apart(options.output, {options.ranges});
  check_apart(options.save_ranges, {options.model, options.output});
  check_apart(options.report, {options.model, options.output, options.ranges});
  check_apart(options.html, {options.model, options.output, options.ranges});
  if (!options.dry_run) check_replaceable(options.output);
  for (const auto& path : {options.save_ranges, options.report, options.html})
    if (!path.empty()) check_replaceable(path);
  Outcome outcome;
  outcome.model = options.model.string();
  outcome.target = options.target->name;
  outcome.bytes_before = model.proto().ByteSizeLong();
  outcome.nodes_before = model.graph().node_count();
  const Drawing floats(model.graph());
  graft::Context context;
  context.refusals = options.explain;
  const bool calibrates = !options.calibration.data.empty();
  const Samples samples = calibrates ? options.calibration.samples(model) : Samples(0, {});
  tell_preprocessing(samples);
  outcome.preprocessing = samples.preprocessing();
  outcome.passes = pipeline(options, model, samples).run(model, context);
  if (const auto* const analysis = context.facts.find<graft::Analysis>()) outcome.analysis = *analysis;
  warn_of_unmatched(outcome.passes);
  outcome.pairs = count(model.graph(), "QuantizeLinear");
  if (outcome.pairs + count(model.graph(), "DequantizeLinear") == 0) leave_as_it_was(model, options);
  for (const graft::Value* const value : model.graph().inputs())
    outcome.overridable += !options.freeze_inputs && value->initializer() != nullptr && !value->is_constant();
  for (const auto& [op, number] : graft::count_integer_forms(model.graph())) outcome.integer_forms += number;
  outcome.nodes_after = model.graph().node_count();
  outcome.audit = graft::audit(model.graph(), *options.target);
  if (options.placement < graft::Placement::everything)
    outcome.float_products = count(model.graph(), "Gemm") + count(model.graph(), "MatMul");
  outcome.bytes_after = model.commit().ByteSizeLong();
  if (!options.save_ranges.empty())
    graft::save_ranges(for_every_placement(*context.facts.find<graft::Ranges>(), options, samples),
                       options.save_ranges);
  if (!options.dry_run) model.save(options.output);
  if (!options.report.empty()) save_report(outcome, options.report);  // last: it tells of what is there
  if (!options.html.empty())
    save_page(page_json(model.graph(), floats, outcome, context.facts, options), options.html);
  print_table(outcome, options.explain);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  try {
    run(options);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graft-quantize: %s\n", error.what());
    return 1;
  }
}
