#pragma once
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  Shape(x), or what is computed from it: Gather, Slice, Concat, arithmetic ...
// After:   a constant
//
// Every element is known to shape inference: from extents that are numbers, and constants; equal symbols are equal
// extents. At most 1024 of them, i64, i32 or bool. Types have been inferred, or are declared: the rules infer none.
//
// known_contents is for all these operators; the others are for Shape, a Gather of it and a Slice of it alone.
extern const RuleView known_contents;
extern const RuleView known_shape;
extern const RuleView known_shape_gather;
extern const RuleView known_shape_slice;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/known_contents.ipp>
#endif
