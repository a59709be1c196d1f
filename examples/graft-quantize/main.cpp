// graft-quantize: turns a float model into an 8-bit model that the runtime computes in integers.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <graft/graph.hpp>
#include <graft/quantize.hpp>
#include <graft/rewrite.hpp>
#include <graft/surgery.hpp>

#include "graft-quantize/decoding.hpp"
#include "graft-quantize/drawing.hpp"
#include "graft-quantize/job.hpp"
#include "graft-quantize/options.hpp"
#include "graft-quantize/page.hpp"
#include "graft-quantize/report.hpp"
#include "graft-quantize/report_json.hpp"
#include "support/data_files.hpp"
#include "support/freed_memory.hpp"
#include "support/overridable.hpp"
#include "support/sample_executor.hpp"
#include "support/scratch.hpp"
#include "support/standard_output.hpp"
#include "support/writable.hpp"

namespace {

/// Warns of problems that a runtime may reject. The model is quantized anyway.
void warn_of_problems(graft::Model& model) {
  const std::vector<graft::Problem> problems = graft::verify(model);
  const std::size_t most = 5;
  for (std::size_t i = 0; i < problems.size() && i < most; ++i)
    std::fprintf(stderr, "graft-quantize: warning: %s\n", graft::to_string(problems[i]).c_str());
  if (problems.size() > most) std::fprintf(stderr, "graft-quantize: and %zu more\n", problems.size() - most);
}

/// Of several runtimes: the audit of each, and the conflicts about operators that the model has.
void add_runtimes(const graft::Graph& graph, const graft::JointTarget& runtimes, Outcome& outcome) {
  if (runtimes.parts().size() == 1) return;
  for (const graft::Target* const part : runtimes.parts())
    outcome.runtimes.push_back({std::string(part->name), audit(graph, *part)});
  for (const graft::TargetConflict& conflict : runtimes.conflicts())
    if (count(graph, conflict.op) != 0) outcome.conflicts.push_back(conflict);
}

/// Returns false if a goal was set and not met.
bool run(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  graft::Model model =
      graft::Model::load(options.model.string(), scratch_beside(options.dry_run ? "" : options.output));
  graft::check_initializers(model);
  warn_of_problems(model);
  check_apart(options.output, {options.model, options.ranges});
  check_apart(options.save_ranges, {options.model, options.output});
  check_apart(options.report, {options.model, options.output, options.ranges});
  check_apart(options.html, {options.model, options.output, options.ranges});
  for (const std::filesystem::path& written : {options.output, options.save_ranges, options.report, options.html})
    check_apart(written, data_files(model));
  if (!options.dry_run) check_replaceable(options.output);
  for (const auto& path : {options.save_ranges, options.report, options.html})
    if (!path.empty()) check_replaceable(path);
  Outcome outcome;
  outcome.model = options.model.string();
  outcome.target = options.target->name;
  outcome.commutes = options.quantize.is_static() && options.quantize.static_options().commute;
  outcome.bytes_before = size_of(model);
  outcome.nodes_before = model.graph().nodes().size();
  outcome.pairs_before = count(model.graph(), "QuantizeLinear");
  const bool is_static = options.quantize.is_static();
  if (is_static) {
    outcome.integer_forms = 0;
    for (const auto& [op, number] : graft::count_integer_forms(model.graph())) *outcome.integer_forms += number;
  }
  outcome.format = options.format;
  const Drawing floats(model.graph());
  graft::Context context;
  context.refusals = options.explain;
  context.threads = options.calibration.threads;
  const Console console(context);
  std::optional<TextTokens> text;
  DecoderExecutor decoder_runs;
  if (options.decoder) {
    graft::decoder_signature(model.graph());
    text.emplace(*options.decoder, options.model);
    decoder_runs = decoder_executor(options.cache_bits, outcome.bytes_before, options.calibration.threads);
    outcome.decoder = {decoder_runs.name, text->unseen().size(), options.decoder->prompt,
                       measure(options.model, decoder_runs, *text, *options.decoder), {}};
  }
  const bool calibrates = text || !options.calibration.data.empty();
  const Samples samples = text ? text->samples(graft::decoder_signature(model.graph()))
                               : calibrates ? options.calibration.samples(model) : Samples(0, {});
  tell_preprocessing(samples);
  outcome.preprocessing = samples.preprocessing();
  outcome.has_samples = samples.size() != 0;
  outcome.overridable = count_overridable(model.graph());
  outcome.keeps_overridable = !options.quantize.freeze_inputs;
  const Executor executor = calibrates ? sample_executor(model) : std::nullopt;
  std::optional<graft::Pass> cache;
  if (options.cache_bits)
    cache = graft::quantize_cache(*options.target, *options.cache_bits, options.calibration.source(samples),
                                  executor.value_or(graft::ExecutorFactory()));
  outcome.result = quantize(model, options, samples, executor, context);
  for (const std::string& why : outcome.result.unreadable)
    std::fprintf(stderr, "graft-quantize: warning: could not be read: %s\n", why.c_str());
  outcome.is_static = is_static && (outcome.result.products == 0 || outcome.result.pairs != 0);
  const auto* const blocks = std::get_if<graft::BlockwiseOptions>(&options.quantize.mode);
  const auto is_dynamic = [](const auto& one) { return one.form == graft::OperatorForm::dynamic; };
  outcome.is_dynamic =
      std::holds_alternative<graft::DynamicOptions>(options.quantize.mode) ||
      (!outcome.is_static && blocks == nullptr && std::ranges::any_of(outcome.result.outcomes, is_dynamic));
  if (blocks != nullptr) outcome.weight_bits = blocks->weights.bits;
  write_format(model, options, samples, executor, context, outcome.result);
  if (cache) {
    outcome.result.run(*cache, model, context);
    const graft::Report& report = outcome.result.passes.steps.back();
    if (report.changes == 0) throw graft::Error(report.notes.front()).field("--cache");
    outcome.caches = report.changes;
  }
  outcome.nodes_after = model.graph().nodes().size();
  add_runtimes(model.graph(), *options.runtimes, outcome);
  if (outcome.is_static && options.quantize.static_options().placement < graft::Placement::all_supported)
    outcome.float_products = count(model.graph(), "Gemm") + count(model.graph(), "MatMul");
  outcome.bytes_after = size_of(model);
  if (!options.dry_run) model.save(options.output.string());  // before later steps that may fail
  if (text && !options.dry_run) {
    outcome.decoder->after = measure(options.output, decoder_runs, *text, *options.decoder);
  } else if (text) {
    PeakMemory memory;
    outcome.decoder->after = measure(model.graph(), memory, decoder_runs, *text, *options.decoder);
    outcome.decoder->after.peak.reset();  // the model was in memory before
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!options.save_ranges.empty())
    graft::save_ranges(for_every_placement(outcome.result, options, samples, executor), options.save_ranges.string());
  if (!options.report.empty()) save_report(outcome, options.report);  // last: it describes the written files
  if (!options.html.empty()) save_page(page_json(model.graph(), floats, outcome, context.facts, options), options.html);
  print_table(outcome, options.explain, options.verbose);
  if (!options.dry_run) std::printf("%-24s %s\n", "wrote", options.output.string().c_str());
  return !outcome.result.goal || outcome.result.goal->met;
}

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  try {
    const Options options = parse_options(argc, argv);
    const bool is_good = run(options);
    flush_standard_output();
    return is_good ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graft-quantize: %s\n", error.what());
    return 1;
  }
}
