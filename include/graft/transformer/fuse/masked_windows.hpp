#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  Softmax(Reshape(Add(Reshape(scores), mask)))      in either order
// After:   Softmax(Add(scores, Reshape(Expand(mask))))
//
// scores [windows, heads, steps, keys] are a MatMul, which may be multiplied by constants of one element and added to.
// The first Reshape takes images and their k windows apart, [images, k, heads, steps, keys], the second one puts them
// together again. mask is [1, k, 1 or heads, steps, keys], and is repeated for the images. All extents are known but
// the number of windows. This is how the shifted windows of Swin are masked (Liu et al., "Swin Transformer", 2021):
// attention then has a mask as others have.

namespace graft::inline v1 {

extern const RuleView masked_windows;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/transformer/fuse/masked_windows.ipp>
#endif
