#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/evaluate.hpp>
#include <graft/qonnx.hpp>
#include <graft/quantize.hpp>

#include "graft-quantize/options.hpp"
#include "graft-quantize/report.hpp"
#include "support/progress_line.hpp"
#include "support/scratch.hpp"

/// Prints messages and progress on standard error.
class Console {
 public:
  explicit Console(graft::Context& context) {
    context.log = [this](std::string_view message) {
      line_.reset();
      std::fprintf(stderr, "graft-quantize: %.*s\n", static_cast<int>(message.size()), message.data());
    };
    context.progress = [this](const graft::Progress& at) {
      constexpr std::string_view slow[] = {"calibrate", "compare", "keep_fewest_in_float", "analyze", "reconstruct",
                                          "choose_bit_widths"};
      if (std::ranges::find(slow, at.pass) == std::end(slow)) return;
      if (at.pass != pass_ || at.done < last_ || !line_) line_.emplace((pass_ = std::string(at.pass)).c_str());
      (*line_)(last_ = at.done, at.total);
    };
  }

 private:
  std::string pass_;
  std::size_t last_ = 0;
  std::optional<ProgressLine> line_;
};

using Executor = std::optional<graft::ExecutorFactory>;

/// Adds advice to an error about NaN or infinity in the samples or in intermediate values.
inline graft::Error with_advice(const graft::Error& error, const graft::Graph& graph) {
  std::string advice;
  if (error.code() == "input_not_finite") advice = "; --skip-nan skips samples that hold NaN";
  else if (error.code() != "not_finite") return error;
  else if (count(graph, "MatMul") + count(graph, "Gemm") != 0) advice = "; --dynamic needs none";
  return graft::Error(error).append(advice);
}

/// Quantizes the model with these options.
inline graft::QuantizeResult quantize(graft::Model& model, const Options& options, const Samples& samples,
                                      const Executor& executor, graft::Context& context) {
  graft::QuantizeOptions how = options.quantize;
  how.make_executor = executor;
  const bool needs_samples = options.ranges.empty() && how.is_static();
  try {
    if (samples.size() == 0 && !needs_samples) return graft::quantize(model, *options.target, how, context);
    return graft::quantize(model, options.calibration.source(samples), *options.target, how, context);
  } catch (graft::Error& error) {
    if (error.code() == "unknown_ranges")
      throw graft::Error("holds ranges of no tensor of this model").file(options.ranges.string());
    throw with_advice(error, model.graph());
  }
}

/// Writes the quantized model in the format of the options, and compares it with the float model again. Audits the
/// pairs of QCDQ, which the runtime reads.
inline void write_format(graft::Model& model, const Options& options, const Samples& samples, const Executor& executor,
                         graft::Context& context, graft::QuantizeResult& result) {
  using namespace graft;
  if (options.format == qonnx::Format::qdq || !result.nothing_quantized.empty()) return;
  result.run(qonnx::qdq_to_format(options.format), model, context);
  if (options.format == qonnx::Format::qcdq) result.audit_again(model.graph(), *options.target, context);
  Model floats = Model::load(options.model.string(), scratch_beside(options.dry_run ? "" : options.output));
  Context scratch;
  prepare_model(*options.target, options.quantize).run(floats, scratch);
  const ExecutorFactory with_quant = [](const Graph& graph) { return Evaluator(graph, qonnx::kernels()); };
  const ExecutorFactory executors =
      options.format == qonnx::Format::qonnx ? with_quant : executor.value_or(ExecutorFactory());
  if (samples.size() == 0) return check_outputs(floats, model, result.ranges, context, result.passes, executors);
  const SampleSource source = options.calibration.source(samples);
  result.checked = check_outputs(floats, model, source, context, result.passes, executors);
  const bool is_of_check = result.trials.empty() && !result.goal;
  if (is_of_check && result.accuracy && result.checked) result.accuracy->fidelity = *result.checked;
}

/// The ranges that were found, and those of tensors that only other placements have: placements that rewrite the model
/// first, or placements that do not.
inline graft::Ranges for_every_placement(const graft::QuantizeResult& result, const Options& options,
                                         const Samples& samples, const Executor& executor) {
  graft::Ranges ranges = result.ranges;
  if (!result.range_method) return ranges;
  graft::QuantizeOptions other = options.quantize;
  graft::StaticOptions& statics = other.static_options();
  statics.placement = rewrites_model(statics.placement) ? graft::Placement::naive : graft::Placement::min_cost;
  graft::Model model = graft::Model::load(options.model.string());
  graft::Context context;
  context.threads = options.calibration.threads;
  graft::prepare_model(*options.target, other).run(model, context);
  std::vector<const graft::Value*> values = graft::observable(model.graph());
  std::erase_if(values, [&](const graft::Value* value) { return ranges.find(value->name()) != nullptr; });
  if (values.empty()) return ranges;
  const graft::SampleSource source = options.calibration.source(samples);
  graft::calibrate(source, *result.range_method, executor.value_or(graft::ExecutorFactory())).run(model, context);
  const auto& found = *context.facts.find<graft::Ranges>();
  for (const graft::Value* const value : values)
    if (const graft::Range* const range = found.find(value->name())) ranges.set(value->name(), *range);
  context.facts.provide(ranges);
  graft::override_ranges(statics.range_overrides).run(model, context);
  return *context.facts.find<graft::Ranges>();
}
