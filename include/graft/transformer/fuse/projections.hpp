#pragma once
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  t = Transpose(Reshape(x, [A, B, N, ...])) {perm=[2,...]}; Gather(t, i) {axis=0} ...
// After:   p = Split(x) {axis=2}; Transpose(Reshape(p[i], [A, B, ...])) ...
//
// x is [A, B, N * ...], and all extents but A and B are known. What reads t are Gathers of one scalar, a Split into N
// whose results are squeezed, or Slices of one that are squeezed or reshaped. This is how vision transformers take
// queries, keys and values out of one projection. A Reshape or Transpose that would change nothing is left out.
extern const RuleView stacked_projections;

// Before:  Reshape(Transpose(Reshape(x, [-1, C, D])) {perm=[0,2,1]}, [A, B, D, C])
// After:   Transpose(x) {perm=[0,1,3,2]}
//
// x is [A, B, C, D], A to D known or symbols. This is how some exporters transpose the keys of attention.
extern const RuleView batched_transpose;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/projections.ipp>
#endif
