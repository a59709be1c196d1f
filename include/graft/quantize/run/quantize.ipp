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
