#pragma once
#include <graft/rewrite/rule_view.hpp>

// Before:  com.microsoft::FusedMatMul(a, b) {alpha, transA, transB, transBatchA, transBatchB}
// After:   alpha * MatMul(a', b'), where a' and b' are Transposes of a and b
//
// An alpha below 1 is multiplied to an operand, to b if that is constant, else to a: the product alone might exceed the
// dtype. The operands are of a known dtype, and of a known rank of 2 or more where they are transposed. The opset is 7
// or later: before, Mul does not broadcast. Values stay, to rounding.

namespace graft::inline v1 {

extern const RuleView decompose_fused_matmul;

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/decompose_fused_matmul.ipp>
#endif
