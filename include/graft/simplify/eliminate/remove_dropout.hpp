#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Dropout(x, ratio?, training_mode?)
// After:   x
//
// In inference: from opset 12 on training_mode is absent or a constant false, before 7 is_test is 1; between it knows
// nothing else. The mask is not used.

namespace graft::inline v1 {

extern const RuleView remove_dropout;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/eliminate/remove_dropout.ipp>
#endif
