#pragma once
#include <vector>

#include <graft/rewrite/registry.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

/// The rules after which there is less to compute, on any runtime, in the order in which simplify() tries them.
std::vector<RuleView> shrinking_rules();

/// The rules of this room by their names: those of shrinking_rules(), those that a runtime must know operators for, and
/// those that change values, the ArgMaxes of argmax_of_monotone.hpp.
Registry<RuleView> simplify_rules();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/rules.ipp>
#endif
