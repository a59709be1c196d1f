#pragma once

namespace graft::inline v1 {

struct RuleView;

// Before:  Identity(x)
// After:   x
//
// If the result is a graph output, the producer of x takes over its name. The Identity stays if this is impossible: x
// is a graph input, an initializer, a graph output already, or a value of an outer scope.
extern const RuleView remove_identity;

// Before:  Dropout(x, ratio?, training_mode?)
// After:   x
//
// The mask is unused, and the Dropout is in inference, or its ratio is 0 by an attribute or a constant. In inference,
// training_mode is absent or a constant false since opset 12, and is_test is 1 before opset 7. Opsets 7 to 11 have
// inference mode only.
//
// Before:  y, mask = Dropout(x, ratio?, training_mode?)
// After:   y = x, mask = ConstantOfShape(c)        c is the shape of x
//
// The mask is used, the extents of x are known, and the Dropout is in inference at opset 12 or later. There the mask is
// all true; before opset 12 runtimes disagree. The Dropout stays if y would need an Identity, which is one node more.
// fold_constants stores a small mask.
extern const RuleView remove_dropout;
extern const RuleView remove_dropout_of_0;
extern const RuleView remove_dropout_with_mask;

}  // namespace graft::inline v1
