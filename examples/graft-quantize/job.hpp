#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <graft/quantize.hpp>

#include "graft-quantize/options.hpp"
#include "graft-quantize/report.hpp"
#include "support/progress_line.hpp"

/// Prints messages and progress on standard error.
class Console {
 public:
  explicit Console(graft::Context& context) {
    context.log = [this](std::string_view message) {
      line_.reset();
      std::fprintf(stderr, "graft-quantize: %.*s\n", static_cast<int>(message.size()), message.data());
    };
    context.progress = [this](const graft::Progress& at) {
      constexpr std::string_view slow[] = {"calibrate", "compare", "keep_fewest_in_float", "analyze"};
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
inline graft::Error with_advice(graft::Error error, const graft::Graph& graph) {
  if (!error.message().starts_with("holds NaN")) return error;
  const graft::Value* const value = graph.find(error.field());
  const char* advice = "";
  if (value == nullptr || value->is_graph_input()) advice = "; --skip-nan skips samples that hold NaN";
  else if (count(graph, "MatMul") + count(graph, "Gemm") != 0) advice = "; --dynamic needs none";
  return graft::Error(error.message() + advice).file(error.file()).field(error.field());
}

/// Quantizes the model with these options.
inline graft::QuantizeResult quantize(graft::Model& model, const Options& options, const Samples& samples,
                                      const Executor& executor, graft::Context& context) {
  graft::QuantizeOptions how = options.quantize;
  how.make_executor = executor;
  if (!options.ranges.empty()) {
    how.ranges = graft::load_ranges(options.ranges);
    try {
      if (samples.size() != 0)
        return graft::quantize(model, options.calibration.source(samples), *options.target, how, context);
      return graft::quantize(model, *options.target, how, context);
    } catch (graft::Error& error) {
      throw error.message().starts_with("the ranges are of no tensor")
          ? graft::Error("holds ranges of no tensor of this model").file(options.ranges.string())
          : error;
    }
  }
  if (samples.size() == 0 && !calibrates(how.mode)) return graft::quantize(model, *options.target, how, context);
  try {
    return graft::quantize(model, options.calibration.source(samples), *options.target, how, context);
  } catch (const graft::Error& error) {
    throw with_advice(error, model.graph());
  }
}

/// The ranges that were found, and those of tensors that only other placements have: placements that rewrite the model
/// first, or placements that do not.
inline graft::Ranges for_every_placement(const graft::QuantizeResult& result, const Options& options,
                                         const Samples& samples, const Executor& executor) {
  graft::Ranges ranges = result.ranges;
  if (!options.ranges.empty()) return ranges;
  graft::QuantizeOptions other = options.quantize;
  other.placement = rewrites_model(other.placement) ? graft::Placement::naive : graft::Placement::min_cost;
  graft::Model model = graft::Model::load(options.model);
  graft::Context context;
  graft::prepare_model(*options.target, other).run(model, context);
  std::vector<const graft::Value*> values = graft::observable(model.graph());
  std::erase_if(values, [&](const graft::Value* value) { return ranges.find(value->name()) != nullptr; });
  if (values.empty()) return ranges;
  const graft::SampleSource source = options.calibration.source(samples);
  if (result.observer) {
    graft::Statistics<graft::Histogram> histograms;
    graft::GatherOptions how;
    how.threads = options.calibration.threads;
    if (executor) how.make_executor = *executor;
    graft::gather(histograms, model.graph(), values, source, how);
    ranges.merge(graft::ranges_of(*result.observer, histograms));
  } else {
    context.threads = options.calibration.threads;
    graft::calibrate(source, other.observer, executor.value_or(graft::ExecutorFactory())).run(model, context);
    const auto& found = *context.facts.find<graft::Ranges>();
    for (const graft::Value* const value : values)
      if (const graft::Range* const range = found.find(value->name())) ranges.set(value->name(), *range);
  }
  context.facts.provide(ranges);
  graft::override_ranges(other.range_overrides).run(model, context);
  return *context.facts.find<graft::Ranges>();
}
