#pragma once

namespace graft::inline v1 {

struct RuleView;

// Before:  t = Transpose(Reshape(x, [A, B, N, ...])) {perm=[2,...]}; Gather(t, i) {axis=0} ...
// After:   p = Split(x) {axis=2}; Transpose(Reshape(p[i], [A, B, ...])) ...
//
// x is [A, B, N * ...], and all extents except A and B are known. The readers of t are Gathers of one scalar, a Split
// into N with squeezed results, or Slices of one with squeezed or reshaped results. Vision transformers split queries,
// keys and values from one projection in this way. A Reshape or Transpose that would change nothing is omitted.
extern const RuleView stacked_projections;

// Before:  Reshape(Transpose(Reshape(x, [-1, C, D])) {perm=[0,2,1]}, [A, B, D, C])
// After:   Transpose(x) {perm=[0,1,3,2]}
//
// x is [A, B, C, D]; A to D are known or symbols. Some exporters transpose the keys of attention in this way.
extern const RuleView batched_transpose;

}  // namespace graft::inline v1
