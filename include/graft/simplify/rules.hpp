#pragma once
#include <vector>

#include <graft/rewrite/registry.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

/// The rules that leave less to compute on any runtime, in the order in which simplify() tries them.
std::vector<RuleView> shrinking_rules();

/// The rules of this room by name: shrinking_rules(), rules whose result needs operators of a particular runtime, and
/// rules that change values, argmax_of_monotone and argmax_of_softmax.
Registry<RuleView> simplify_rules();

}  // namespace graft::inline v1
