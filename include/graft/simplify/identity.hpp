#pragma once
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  Identity(x)
// After:   x
//
// Where the result is a graph output, what makes x gets its name. The Identity stays where nothing could bear it: x is
// an input, an initializer, an output already, or of a scope outside.
extern const RuleView remove_identity;

// Before:  Dropout(x, ratio?, training_mode?)
// After:   x
//
// In inference: from opset 12 on training_mode is absent or a constant false, before 7 is_test is 1; between it knows
// nothing else. Or in whatever mode with a ratio of 0, said by an attribute or a constant. The mask is not used.
//
// Before:  y, mask = Dropout(x, ratio?, training_mode?)
// After:   y = x, mask = ConstantOfShape(c)        c is the shape of x
//
// In inference from opset 12 on, where the mask is all true (before, runtimes disagree). It is used, and the extents of
// x are known; not where y needs an Identity, which would be a node more. fold_constants stores a small mask.
extern const RuleView remove_dropout;
extern const RuleView remove_dropout_of_0;
extern const RuleView remove_dropout_with_mask;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/identity.ipp>
#endif
