#pragma once
#include <graft/pattern/arg.hpp>
#include <graft/rewrite/context.hpp>
#include <graft/transformer/fused_operators.hpp>

namespace graft::inline v1::rules {

/// The operators of the runtime, which fusions may use.
inline constexpr auto fused_for = arg<"fused_for", FusedOperators>;

/// That argument. For a rule that is applied by itself, the operators of ONNX Runtime's CPU execution provider.
inline const FusedOperators& operators_given(const Context& context) {
  const FusedOperators* const given = context.find_argument(fused_for);
  return given != nullptr ? *given : fused_operators::ort_cpu;
}

}  // namespace graft::inline v1::rules
