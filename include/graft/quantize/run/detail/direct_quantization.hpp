#pragma once
#include <variant>

#include <graft/quantize/run/detail/outcomes.hpp>
#include <graft/quantize/run/detail/output_check.hpp>
#include <graft/quantize/run/detail/quantize_call.hpp>
#include <graft/quantize/run/quantize_options.hpp>

namespace graft::inline v1::detail {

/// Whether the pass of this mode learns from samples.
inline bool learns(const QuantizationMode& mode) {
  const auto* const blocks = std::get_if<BlockwiseOptions>(&mode);
  return blocks != nullptr && (blocks->method != BlockMethod::nearest || blocks->bits_per_weight);
}

/// Quantizes the prepared model of a call with DynamicOptions or BlockwiseOptions. Samples measure how near the outputs
/// are to float; there may be none. Gives the check the float model to compare with.
AppliedForms quantize_directly(QuantizeCall& call, OutputCheck& check);

}  // namespace graft::inline v1::detail
