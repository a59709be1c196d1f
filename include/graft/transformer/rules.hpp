#pragma once
#include <graft/rewrite/registry.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

/// The rules of this room by name.
Registry<RuleView> transformer_rules();

}  // namespace graft::inline v1
