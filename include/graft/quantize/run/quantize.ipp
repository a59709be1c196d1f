#pragma once
#include <graft/quantize/run/quantize.hpp>

#include <graft/config.hpp>
#include <graft/quantize/run/detail/direct_run.hpp>
#include <graft/quantize/run/detail/quantize_run.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::string to_string(const QuantizeTrial& trial) {
  return trial.name + ": " + to_string(trial.fidelity) + (trial.ended_early ? ", on the first samples" : "") +
         (trial.within_noise ? ", nearer by no more than the noise" : "");
}

GRAFT_INLINE std::string to_string(const PoorLayers& poor) {
  const GoalResult& found = poor.found;
  const std::string all = std::to_string(found.layers);
  switch (found.outcome) {
    case GoalOutcome::nothing_quantized: return "nothing is quantized";
    case GoalOutcome::met_by_all: return "all of " + all + " layers stay in integers";
    case GoalOutcome::met_without_pairs: return "nothing stays in integers";
    case GoalOutcome::not_met: return "outputs stay poor with all " + all + " layers in float";
    case GoalOutcome::met: break;
  }
  std::string text;
  const auto add = [&](const std::vector<std::string>& layers, const char* what) {
    if (!layers.empty()) text += (text.empty() ? "" : ", ") + std::to_string(layers.size()) + " " + what;
  };
  add(found.in_float, "in float");
  add(found.dynamic, "dynamic");
  add(found.weight_only, "weight-only");
  return text + " of " + all + " layers, " + std::to_string(found.pairs) + " of " +
         std::to_string(found.pairs_with_none_in_float) + " pairs left";
}

GRAFT_INLINE QuantizeResult quantize(Model& model, const SampleSource& samples, const Target& target,
                                     const QuantizeOptions& options, Context& context) {
  if (!calibrates(options.mode)) return detail::quantize_directly(model, samples, target, options, context);
  return detail::QuantizeRun(model, samples, target, options, context).run();
}

GRAFT_INLINE QuantizeResult quantize(Model& model, const SampleSource& samples, const Target& target,
                                     const QuantizeOptions& options) {
  Context context;
  return quantize(model, samples, target, options, context);
}

GRAFT_INLINE QuantizeResult quantize(Model& model, const Target& target, const QuantizeOptions& options,
                                     Context& context) {
  if (!calibrates(options.mode)) return detail::quantize_directly(model, std::nullopt, target, options, context);
  return detail::QuantizeRun(model, std::nullopt, target, options, context).run();
}

}  // namespace graft::inline v1
