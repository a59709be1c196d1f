#pragma once
#include <optional>

#include <graft/evaluate/executor_factory.hpp>
#include <graft/graph/model.hpp>
#include <graft/quantize/calibrate/ranges.hpp>
#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/tune/fidelity.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/rewrite/report.hpp>

namespace graft::inline v1 {

/// Compares a quantized model with the float model on up to 8 of the samples, as quantize() does before it returns. Use
/// it after passes that change a quantized model. The float model should be a prepared one: prepare_model().
///
/// Throws Error naming the first node whose output is wrong, if an output of the quantized model holds NaN or infinity
/// where the float model has numbers, or has a cosine below 0.5 with that of the float model, over all samples. Returns
/// how near the outputs are. Returns nothing, and adds a warning to the report and the log, if an operator has no
/// kernel. make_executor runs both models.
std::optional<Fidelity> check_outputs(Model& floats, Model& quantized, const SampleSource& samples, Context& context,
                                      Report& report, ExecutorFactory make_executor = {});
/// The same on random inputs in these ranges, which returns nothing. A low cosine is a warning: inputs in between may
/// exceed the ranges.
void check_outputs(Model& floats, Model& quantized, const Ranges& ranges, Context& context, Report& report,
                   ExecutorFactory make_executor = {});

}  // namespace graft::inline v1
