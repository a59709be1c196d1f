#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  t = Transpose(Reshape(x, [A, B, N, ...])) {perm=[2,...]}; Gather(t, i) {axis=0} ...
// After:   p = Split(x) {axis=2}; Transpose(Reshape(p[i], [A, B, ...])) ...
//
// x is [A, B, N * ...], and all extents but A and B are known. What reads t are Gathers of one scalar, a Split into N
// whose results are squeezed, or Slices of one that are squeezed or reshaped. This is how vision transformers take
// queries, keys and values out of one projection. A Reshape or Transpose that would change nothing is left out.

namespace graft::inline v1 {

extern const RuleView stacked_projections;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/stacked_projections.ipp>
#endif
