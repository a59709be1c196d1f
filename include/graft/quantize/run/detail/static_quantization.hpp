#pragma once
#include <graft/quantize/run/detail/outcomes.hpp>
#include <graft/quantize/run/detail/output_check.hpp>
#include <graft/quantize/run/detail/prepared_model.hpp>
#include <graft/quantize/run/detail/quantize_call.hpp>

namespace graft::inline v1::detail {

/// Quantizes the prepared model of a call with StaticOptions: observes it on samples, lists the candidates, judges
/// them, and applies the best. Gives the check the float model to compare with.
AppliedForms quantize_statically(QuantizeCall& call, const RangePlan& plan, OutputCheck& check);

}  // namespace graft::inline v1::detail
