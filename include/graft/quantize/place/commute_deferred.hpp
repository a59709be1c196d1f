#pragma once
// Before: Conv -> ... -> Q(s1, z1) -> DQ(s1, z1) -> f -> Q(s2, z2)
// After:  Conv -> ... -> f -> Q(s2, z2)
// if the target computes Conv in integers and fuses f in front of Q(s2, z2), together with the activations that stand
// between already, and nobody else reads what lies between. commutation_bound(f, before, behind) returns how far values
// move.
#include <graft/pattern/arg.hpp>
#include <graft/quantize/kernel/target.hpp>

namespace graft::inline v1 {

struct RuleView;

/// The rules of commute_dq_past_activation(). They read the argument commute::target.
namespace commute {

inline constexpr auto target = arg<"target", Target>;

extern const RuleView past_deferred;

}  // namespace commute
}  // namespace graft::inline v1
