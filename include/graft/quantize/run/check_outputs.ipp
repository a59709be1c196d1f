#pragma once
#include <graft/quantize/run/check_outputs.hpp>

#include <utility>

#include <graft/config.hpp>
#include <graft/quantize/run/detail/output_check.hpp>

namespace graft::inline v1 {

GRAFT_INLINE std::optional<Fidelity> check_outputs(Model& floats, Model& quantized, const SampleSource& samples,
                                                   Context& context, Report& report, ExecutorFactory make_executor) {
  detail::OutputCheck check(std::move(make_executor), true, context, report);
  check.run_float(floats.graph(), samples);
  check.remember(floats);
  return check.expect_sound(quantized.graph());
}

GRAFT_INLINE void check_outputs(Model& floats, Model& quantized, const Ranges& ranges, Context& context, Report& report,
                                ExecutorFactory make_executor) {
  detail::OutputCheck check(std::move(make_executor), true, context, report);
  check.run_float(floats.graph(), ranges);
  check.remember(floats);
  check.expect_sound(quantized.graph());
}

}  // namespace graft::inline v1
