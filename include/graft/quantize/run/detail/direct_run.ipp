#pragma once
#include <graft/quantize/run/detail/direct_run.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <graft/config.hpp>
#include <graft/graph/error.hpp>
#include <graft/quantize/calibrate/observe_gram_matrices.hpp>
#include <graft/quantize/calibrate/statistics.hpp>
#include <graft/quantize/calibrate/statistics/gram_matrix.hpp>
#include <graft/quantize/dynamic/quantize_dynamic.hpp>
#include <graft/quantize/run/detail/run_step.hpp>
#include <graft/quantize/run/detail/sample_split.hpp>
#include <graft/quantize/run/detail/trial_executor.hpp>
#include <graft/quantize/run/detail/way_trials.hpp>
#include <graft/quantize/run/detail/withdraw_observations.hpp>
#include <graft/quantize/run/prepare_model.hpp>
#include <graft/quantize/target/exclude_nodes.hpp>
#include <graft/rewrite/pass.hpp>
#include <graft/surgery/infer_shapes.hpp>

namespace graft::inline v1::detail {

template <class Calibrated>
Pass quantizing_pass(const Target&, const Calibrated&) {
  throw Error("needs ranges");
}
inline Pass quantizing_pass(const Target& target, const DynamicOptions& options) {
  return quantize_dynamic(target, options);
}

inline Pass quantizing_pass(const Target& target, const BlockwiseOptions& options) {
  return quantize_weights_blockwise(target, options);
}

/// Whether samples show what the pass of the mode wants to know.
inline bool learns(const QuantizationMode& mode) {
  const auto* const blocks = std::get_if<BlockwiseOptions>(&mode);
  return blocks != nullptr && blocks->method != BlockMethod::nearest;
}

/// What only models between Q/DQ pairs can have.
inline void refuse_static_options(const QuantizeOptions& options) {
  const auto refuse = [](bool is_given, const char* option) {
    if (is_given) throw Error("is for static quantization alone").field(option);
  };
  refuse(options.ranges.has_value() || !options.range_overrides.empty(), "ranges");
  refuse(!options.activation_overrides.empty(), "activation_overrides");
  refuse(options.format != QuantizedFormat::qdq, "format");
  refuse(options.goal.has_value(), "goal");
  refuse(options.analyze, "analyze");
  refuse(options.exclude_ends, "exclude_ends");
}

/// Notes "'NODE' stays in float: WHY" of a step.
inline void read_kept(const Report& step, InFloat& in_float) {
  constexpr std::string_view stays = "' stays in float: ";
  for (const std::string& note : step.notes)
    if (const std::size_t at = note.find(stays); note.starts_with("'") && at != std::string::npos)
      in_float.reasons.emplace(note.substr(1, at - 1), note.substr(at + stays.size()));
}

GRAFT_INLINE void read_products(std::string_view pass, QuantizeResult& result) {
  const Report* const done = result.passes.step(pass);
  if (done == nullptr) return;
  for (const char* const name : {"quantize_embeddings", "quantize_tables_blockwise"})
    if (const Report* const tables = done->step(name)) result.tables = tables->changes;
  result.products = done->changes - result.tables;
  read_kept(*done, result.in_float);
}

GRAFT_INLINE QuantizeResult quantize_directly(Model& model, const std::optional<SampleSource>& samples,
                                              const Target& target, const QuantizeOptions& options, Context& context) {
  refuse_static_options(options);
  if (samples && options.compare && learns(options.mode) && !samples->begins_anew())
    throw Error("the samples can be gone through only once: hold them in a vector, or do not compare");
  QuantizeResult result;
  Report& passes = result.passes;
  passes.pass = "quantize";
  passes.nodes_before = model.graph().nodes().size();
  const auto step = [&](const Pass& pass) { return run_step(pass, model, context, passes); };
  const Pass quantizing = std::visit([&](const auto& mode) { return quantizing_pass(target, mode); }, options.mode);
  withdraw_observations(context.facts);
  if (step(prepare_model(target, options))) {
    const std::size_t most = options.compare ? options.held_out_at_most : 0;
    std::optional<SampleSplit> split;
    if (samples) split.emplace(*samples, learns(options.mode) ? most : 0);
    if (split && learns(options.mode)) {
      if (!step(observe_gram_matrices(split->calibration, options.make_executor.value_or(ExecutorFactory()))))
        return result;
      result.calibration_samples = static_cast<std::size_t>(context.facts.find<Statistics<GramMatrix>>()->samples);
    }
    std::optional<WayTrials> trials;
    if (split && options.compare) {
      const ExecutorFactory make_executor = trial_executor(options, context);
      trials.emplace(model.graph(), split->held_out, std::max<std::size_t>(most, 1), make_executor, context);
      Report unread;
      unread.pass = "compare";
      for (const std::string& why : trials->unreadable()) unread.notes.push_back("could not be read: " + why);
      if (!unread.notes.empty()) passes.add(std::move(unread));
      if (trials->samples() == 0 && split->held_out_samples != 0) {
        split->held_out_samples = 0;
        trials.emplace(model.graph(), split->calibration, std::max<std::size_t>(most, 1), make_executor, context);
      }
      if (trials->samples() == 0 && !context.is_cancelled()) throw Error("there is no sample to measure on");
    }
    // ONNX Runtime fuses normalization with the sum before it only where their shapes are declared.
    if (step(quantizing) && step(infer_shapes()) && trials) {
      const Pass nothing = pass("nothing", [](Graph&, Context&) { return Report(); });
      result.trials.push_back({to_string(quantizing), trials->measure(model, context, nothing).fidelity});
      if (split->held_out_samples != 0 || !learns(options.mode)) result.held_out_samples = trials->samples();
    }
  }
  read_products(quantizing.name(), result);
  if (context.is_cancelled()) passes.outcome = Outcome::cancelled;
  passes.nodes_after = model.graph().nodes().size();
  return result;
}

}  // namespace graft::inline v1::detail
