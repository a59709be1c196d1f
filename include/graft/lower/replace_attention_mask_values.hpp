#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  Add(scores, [0, -3.4e38])
// After:   Add(scores, [0, -10000])
//
// Every element below the threshold, -inf too, of an f32 initializer, Constant or ConstantOfShape becomes the
// replacement, if nodes read it that are all of Add, Mul, Expand, Where and Shape, in bodies too. Initializers that
// callers may override stay, and what is a graph output. Values change: that is the purpose. Shapes stay.

namespace graft::inline v1 {

/// The pass that does this everywhere: the lowest floats, by which masks say "not", do not quantize. Throws Error for a
/// threshold or replacement that is not a number.
Pass replace_attention_mask_values(float threshold = -3e30F, float replacement = -1e4F);

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/replace_attention_mask_values.ipp>
#endif
