#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  Softmax(scores + c), or Softmax(scores + mask * c)
// After:   Softmax(scores + c'), or Softmax(scores + mask * c'), where c' = max(c, -40)
//
// c is a float32 constant. Its negative elements are all the same, and below -1000. `mask` is a Cast of integers or
// booleans, or an integer minus that, be it moved. Instead of mask * c there may be a Where that chooses between c and
// a float32 constant without negative elements. Between it and the Softmax are only Cast, movements, Add, and Sub with
// it in the first input. All readers of these results lead to a Softmax so, and none of them is a graph output.
//
// Values change: masked elements have e^-40 of the weight that they have without a mask, instead of none. Of rows that
// are masked as a whole, the scores decide. The scores of a row are taken to differ by much less than 40.

/// Bounds the constants that mask the input of a Softmax. They are -10000 or the lowest float32, which would take all
/// steps of a quantized tensor. Tensors whose values change lose their ranges and statistics.
Pass bound_masks();

}  // namespace graft::inline v1
