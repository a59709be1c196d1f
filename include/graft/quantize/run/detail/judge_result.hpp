#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <graft/quantize/calibrate/sample_source.hpp>
#include <graft/quantize/run/detail/output_check.hpp>
#include <graft/quantize/run/detail/run_step.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/rewrite/context.hpp>

namespace graft::inline v1::detail {

/// Warns of outputs that are poor. The accuracy is that of the last check, if nothing else was measured.
inline void judge_outputs(QuantizeResult& result, const std::optional<SampleSource>& samples, const Context& context) {
  if (!result.accuracy && result.checked) {
    const std::size_t count = samples->size().value_or(OutputCheck::max_samples);
    result.accuracy = {*result.checked, std::min(count, OutputCheck::max_samples)};
  }
  if (const auto poor = result.poor_fidelity())
    warn("the outputs are far from those of the float model: " + to_string(*poor), context, result.passes);
}

/// Warns if nothing is quantized. lacks: what the model has none of, where that is why.
inline void warn_of_nothing(QuantizeResult& result, std::string_view lacks, const Context& context) {
  if (result.pairs + result.products + result.tables != 0) return;
  std::string text = "nothing is quantized: ";
  const auto first = std::ranges::find(result.outcomes, true, &OperatorOutcome::is_kept);
  if (lacks.empty() && first != result.outcomes.end()) {
    const auto count = std::ranges::count(result.outcomes, true, &OperatorOutcome::is_kept);
    text += std::to_string(count) + (count == 1 ? " operator stays" : " operators stay") + " in float; '" +
            first->node + "': " + first->text;
  } else {
    if (lacks.empty()) lacks = "operator that this target and placement quantize";
    text += "the model has no " + std::string(lacks);
  }
  warn(text, context, result.passes);
}

}  // namespace graft::inline v1::detail
