#pragma once
#include <graft/rewrite/registry.hpp>
#include <graft/rewrite/rule_view.hpp>
#include <graft/simplify/add_into_conv_bias.hpp>
#include <graft/simplify/bn_into_conv.hpp>

namespace graft::inline v1 {

/// Every shipped rule that preserves values, by its name.
inline Registry<RuleView> simplify_rules() {
  Registry<RuleView> rules("rule");
  rules.add(bn_into_conv.view()).add(add_into_conv_bias.view());
  return rules;
}

}  // namespace graft::inline v1
