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

/// The quantization of one model.
class Job {
 public:
  explicit Job(const Options& options)
      : options_(options), model_(graft::Model::load(options.model.string(), scratch())), console_(context_) {
    context_.refusals = options.explain;
    context_.threads = options.calibration.threads;
  }

  /// Returns false if a goal was set and not met, or caches stay in float that were to be in integers.
  bool run() {
    check_model();
    check_files();
    describe_floats();
    measure_float_decoder();
    read_samples();
    quantize_model();
    describe_result();
    if (!options_.dry_run) model_.save(options_.output.string());  // before later steps that may fail
    measure_quantized_decoder();
    outcome_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    write_reports();
    const bool has_caches = !options_.quantize.cache_bits || outcome_.result.caches != 0;
    return has_caches && (!outcome_.result.goal || outcome_.result.goal->met);
  }

 private:
  graft::LoadOptions scratch() const { return scratch_beside(options_.dry_run ? "" : options_.output); }

  void check_model() {
    graft::check_initializers(model_);
    warn_of_problems(model_);
  }

  /// No file is written over one that is read.
  void check_files() const {
    check_apart(options_.output, {options_.model, options_.ranges});
    check_apart(options_.save_ranges, {options_.model, options_.output});
    check_apart(options_.report, {options_.model, options_.output, options_.ranges});
    check_apart(options_.html, {options_.model, options_.output, options_.ranges});
    for (const auto& written : {options_.output, options_.save_ranges, options_.report, options_.html})
      check_apart(written, data_files(model_));
    if (!options_.dry_run) check_replaceable(options_.output);
    for (const auto& path : {options_.save_ranges, options_.report, options_.html})
      if (!path.empty()) check_replaceable(path);
  }

  void describe_floats() {
    const graft::Graph& graph = model_.graph();
    outcome_.model = options_.model.string();
    outcome_.target = options_.target->name;
    outcome_.commutes = is_static_ && options_.quantize.static_options().commute;
    outcome_.bytes_before = size_of(model_);
    outcome_.nodes_before = graph.nodes().size();
    outcome_.pairs_before = count(graph, "QuantizeLinear");
    if (is_static_) {
      outcome_.integer_forms = 0;
      for (const auto& [op, number] : graft::count_integer_forms(graph)) *outcome_.integer_forms += number;
    }
    outcome_.format = options_.format;
    outcome_.overridable = count_overridable(graph);
    outcome_.keeps_overridable = !options_.quantize.freeze_inputs;
    floats_.emplace(graph);
  }

  void measure_float_decoder() {
    if (!options_.decoder) return;
    graft::decoder_signature(model_.graph());  // throws for other models
    text_.emplace(*options_.decoder, options_.model);
    decoder_runs_ = decoder_executor(options_.quantize.cache_bits, outcome_.bytes_before,
                                     options_.calibration.threads);
    outcome_.decoder = {decoder_runs_.name, text_->unseen().size(), options_.decoder->prompt,
                        measure(options_.model, decoder_runs_, *text_, *options_.decoder), {}};
  }

  void read_samples() {
    const bool has_data = !options_.calibration.data.empty();
    if (text_) samples_ = text_->samples(graft::decoder_signature(model_.graph()));
    else if (has_data) samples_ = options_.calibration.samples(model_);
    tell_preprocessing(samples_);
    outcome_.preprocessing = samples_.preprocessing();
    outcome_.has_samples = samples_.size() != 0;
    if (text_ || has_data) executor_ = sample_executor(model_);
  }

  void quantize_model() {
    outcome_.result = quantize(model_, options_, samples_, executor_, context_);
    for (const std::string& why : outcome_.result.unreadable)
      std::fprintf(stderr, "graft-quantize: warning: could not be read: %s\n", why.c_str());
    describe_mode();
    write_format(model_, options_, samples_, executor_, context_, outcome_.result);
  }

  void describe_mode() {
    outcome_.is_static = is_static_ && (outcome_.result.products == 0 || outcome_.result.pairs != 0);
    const auto* const blocks = std::get_if<graft::BlockwiseOptions>(&options_.quantize.mode);
    const auto is_dynamic = [](const auto& one) { return one.form == graft::OperatorForm::dynamic; };
    outcome_.is_dynamic =
        std::holds_alternative<graft::DynamicOptions>(options_.quantize.mode) ||
        (!outcome_.is_static && blocks == nullptr && std::ranges::any_of(outcome_.result.outcomes, is_dynamic));
    if (blocks != nullptr) outcome_.blocks = *blocks;
  }

  void describe_result() {
    const graft::Graph& graph = model_.graph();
    outcome_.nodes_after = graph.nodes().size();
    add_runtimes(graph, *options_.runtimes, outcome_);
    if (outcome_.is_static && options_.quantize.static_options().placement < graft::Placement::all_supported)
      outcome_.float_products = count(graph, "Gemm") + count(graph, "MatMul");
    outcome_.bytes_after = size_of(model_);
  }

  void measure_quantized_decoder() {
    if (!text_) return;
    DecoderFigures& after = outcome_.decoder->after;
    if (!options_.dry_run) {
      after = measure(options_.output, decoder_runs_, *text_, *options_.decoder);
      return;
    }
    PeakMemory memory;
    after = measure(model_.graph(), memory, decoder_runs_, *text_, *options_.decoder);
    after.peak.reset();  // the model was in memory before
  }

  void write_reports() const {
    if (!options_.save_ranges.empty())
      graft::save_ranges(for_every_placement(outcome_.result, options_, samples_, executor_),
                         options_.save_ranges.string());
    if (!options_.report.empty()) save_report(outcome_, options_.report);  // last: it describes the written files
    if (!options_.html.empty())
      save_page(page_json(model_.graph(), *floats_, outcome_, context_.facts, options_), options_.html);
    print_table(outcome_, options_.explain, options_.verbose);
    if (!options_.dry_run) std::printf("%-24s %s\n", "wrote", options_.output.string().c_str());
  }

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const Options& options_;
  const bool is_static_ = options_.quantize.is_static();
  graft::Model model_;
  graft::Context context_{};
  const Console console_;
  Outcome outcome_{};
  std::optional<Drawing> floats_{};
  std::optional<TextTokens> text_{};
  DecoderExecutor decoder_runs_{};
  Samples samples_{0, {}};
  Executor executor_{};
};

}  // namespace

int main(int argc, char** argv) {
  keep_freed_memory();
  try {
    const Options options = parse_options(argc, argv);
    const bool is_good = Job(options).run();
    flush_standard_output();
    return is_good ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "graft-quantize: %s\n", error.what());
    return 1;
  }
}
