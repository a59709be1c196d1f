#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  Einsum(x, y)                 "ibnd,jbnd->bnij"
// After:   MatMul(Transpose(x) {perm=[1,2,0,3]}, Transpose(y) {perm=[1,2,3,0]})
//
// Before:  Einsum(x, y)                 "ibh,hnd->ibnd"
// After:   Reshape(MatMul(x, Reshape(y)))
//
// Letters are batches (in both operands and the result), rows or columns (in one operand and the result), or summed (in
// both operands). No letter occurs twice in a term, or in one operand alone. There is no "...". Summed extents are
// known to be equal in both operands. Both operands are floats. Values stay, to rounding.
//
// Reshapes join several letters of a kind. If a Reshape has to infer an extent, all its other extents are known and not
// 0. Transposes and Reshapes of constants are computed here.
extern const RuleView einsum_to_matmul;

// Before:  Einsum(x)                    "ijbn->bnij"
// After:   Transpose(x) {perm=[2,3,0,1]}
//
// Each letter occurs once in the operand and once in the result. There is no "...".
extern const RuleView einsum_to_transpose;

/// Applies both rules everywhere, bodies included, and infers types first.
Pass einsums_to_matmuls();

}  // namespace graft::inline v1
