#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

// Before:  Softmax(scores + mask * c), where c has an element below -1000
// After:   Softmax(scores + mask * c'), where c' = max(c, -40)
//
// The same for a Where that chooses c, and for a constant that is added. Only movements, sums, differences, products
// and choices stand between the constant and the Softmax, and the constant is float32. What is masked has e^-40 of the
// weight that it would have without a mask, instead of none.

/// Bounds the constants that mask what a Softmax reads. They are -10000 or the lowest float32, which would take all
/// steps of a quantized tensor.
Pass bound_masks();

}  // namespace graft::inline v1
