#pragma once

namespace graft::inline v1 {

struct RuleView;

// Before:  Squeeze(Squeeze(x, p), q)     axes as an attribute (before opset 13) or a constant input
// After:   Squeeze(x, r)                 r: p, and the axes of x that q means
//
// The inner Squeeze may have other readers. The rule rejects an empty list of axes: runtimes disagree about it.
extern const RuleView squeeze_squeeze;

// Before:  Squeeze(Squeeze(x, p?))       the outer one takes all axes of extent 1
// After:   Squeeze(x)
//
// The inner Squeeze may have other readers.
extern const RuleView squeeze_squeeze_all;

// Before:  Unsqueeze(Unsqueeze(x, p), q)   axes as an attribute (before opset 13) or a constant input
// After:   Unsqueeze(x, r)                 r: q, and the places of the axes p in the result
//
// The inner Unsqueeze may have other readers.
extern const RuleView unsqueeze_unsqueeze;

// Before:  Squeeze(Unsqueeze(x, p), q), Unsqueeze(Squeeze(x, p), q)
// After:   x
//
// p and q are the same axes in any order: an attribute before opset 13, a constant input since then. The inner node may
// have other readers.
extern const RuleView squeeze_unsqueeze;
extern const RuleView unsqueeze_squeeze;

// Before:  Squeeze(Reshape(x, shape), axes), Unsqueeze(Reshape(x, shape), axes)
// After:   Reshape(x, shape')        shape' is shape without the extents at axes, or with ones there
//
// shape and axes are constant. A 0 in shape that copies an extent of x keeps its place; other extents may move. The
// inner Reshape may have other readers.
extern const RuleView squeeze_reshape;
extern const RuleView unsqueeze_reshape;

// Before:  f(g(x))                   f: Flatten, Squeeze or Unsqueeze; g: Reshape, Flatten, Squeeze or Unsqueeze
// After:   Reshape(x, shape)
//
// shape is the shape of the result. All its extents are known and not 0, except one, which becomes -1. For a Flatten,
// the extents before the axis suffice, or those from the axis on. g may have other readers.
extern const RuleView known_reshaping;

}  // namespace graft::inline v1
