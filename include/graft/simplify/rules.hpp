#pragma once
#include <vector>

#include <graft/rewrite/registry.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

/// The rules after which there is less to compute, on any runtime, in the order in which simplify() tries them.
std::vector<RuleView> shrinking_rules();

/// Every shipped rule that preserves values, by its name: the shrinking ones, and those for runtimes that want them.
Registry<RuleView> simplify_rules();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/rules.ipp>
#endif
