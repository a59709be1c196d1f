#pragma once
#include <string>

#include <graft/quantize/run/detail/run_step.hpp>
#include <graft/quantize/run/quantize.hpp>
#include <graft/rewrite/context.hpp>

namespace graft::inline v1::detail {

inline void warn_if_poor(QuantizeResult& result, const Context& context) {
  if (!result.is_poor()) return;
  const Fidelity poor =
      result.fidelity() && result.fidelity()->is_poor_somewhere() ? *result.fidelity() : *result.checked;
  warn("the outputs are far from those of the float model: " + to_string(poor), context, result.passes);
}

}  // namespace graft::inline v1::detail
