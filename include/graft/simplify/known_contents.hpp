#pragma once

namespace graft::inline v1 {

struct RuleView;

// Before:  Shape(x), or a node computed from it: Gather, Slice, Concat, arithmetic ...
// After:   a constant
//
// Shape inference knows every element, from constants and from extents that are numbers. Equal symbols are equal
// extents. There are at most 1024 elements, of i64, i32 or bool. Types are declared, or inferred before: the rules
// infer none.
//
// known_contents handles all these operators. The others handle only Shape, a Gather of it, or a Slice of it.
extern const RuleView known_contents;
extern const RuleView known_shape;
extern const RuleView known_shape_gather;
extern const RuleView known_shape_slice;

}  // namespace graft::inline v1
