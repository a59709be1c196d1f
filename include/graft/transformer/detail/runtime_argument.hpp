#pragma once
#include <graft/pattern/arg.hpp>
#include <graft/transformer/fused_operators.hpp>

namespace graft::inline v1::vocabulary {

/// What a fusion may put: the operators that the runtime has.
inline constexpr auto fused_for = arg<"fused_for", FusedOperators>;

}  // namespace graft::inline v1::vocabulary
