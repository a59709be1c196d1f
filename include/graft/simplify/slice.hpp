#pragma once

namespace graft::inline v1 {

struct RuleView;

// Before:  Slice(Slice(x, starts, ends, axes?, steps?), starts', ends', axes'?, steps'?)
// After:   Slice(x, starts", ends", axes", steps")
//
// All of them are constant: attributes before opset 10, which has no steps, inputs since then. If both slice one axis,
// its two ranges become one: for any ranges if the extent of x is known, else only if neither counts from the end or
// backwards. The inner Slice may have other readers.
extern const RuleView slice_slice;

}  // namespace graft::inline v1
