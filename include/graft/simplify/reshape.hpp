#pragma once
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  Reshape(f(x), shape)          f: Reshape, Flatten, Squeeze or Unsqueeze
// After:   Reshape(x, shape)
//
// shape is constant. A 0 in it copies an extent of f(x), unless allowzero is 1; x may have another there, so such a 0
// becomes that extent where it is known, or -1 where it is the only thing that is not. f may have other users.
extern const RuleView reshape_reshape;
extern const RuleView reshape_reshape_copying;

// Before:  Reshape(x, target)     target: Concat of extents of x and of numbers, or the like
// After:   Reshape(x, c)          c is constant: 0 where the target has the extent that x has there, -1 for one element
//                                 that is not known
//
// Shape inference knows how many elements the target has, and of each its number, its symbol or nothing. All but one
// are numbers, or the symbol of the extent that x has at their place. The one becomes -1 or is a -1 already; as with
// any -1, the extents that are copied beside it are taken not to be 0: of an empty batch, whose target spelt out each
// extent, a runtime cannot infer the -1. So exporters' shapes of attention, [batch, sequence, heads, size] with two
// symbols, can become constant. allowzero = 1, where a 0 is meant, is removed if something is copied; then no element
// may be the number 0, nor beside a -1.
//
// Before:  Expand(x, target)
// After:   Expand(x, c)           1 where the target has the extent that x has there
//
// All other elements are numbers.
extern const RuleView known_expand_target;
extern const RuleView known_reshape_target;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/simplify/reshape.ipp>
#endif
