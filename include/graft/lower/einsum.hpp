#pragma once
#include <graft/rewrite/pass.hpp>
#include <graft/rewrite/rule_view.hpp>

namespace graft::inline v1 {

// Before:  Einsum(x, y)                 "ibnd,jbnd->bnij"
// After:   MatMul(Transpose(x) {perm=[1,2,0,3]}, Transpose(y) {perm=[1,2,3,0]})
//
// Before:  Einsum(x, y)                 "ibh,hnd->ibnd"
// After:   Reshape(MatMul(x, Reshape(y)))
//
// Before:  Einsum(x)                    "ijbn->bnij"
// After:   Transpose(x) {perm=[2,3,0,1]}
//
// Letters stand for batches, which both operands and the result have; rows and columns, which one operand and the
// result have; and what is summed over, which both operands have. No letter stands twice in a term, or in one operand
// alone and not in the result, and none is "...". Extents that are summed over are known to be the same in both.
// Several letters of a kind are joined by Reshapes. Where one has to find an extent that is not known, all others that
// it makes are known, and none is 0. Transposes and Reshapes of constants are done here. Of two operands both are of
// floats. Values stay, to rounding.
extern const RuleView einsum_to_matmul;
extern const RuleView einsum_to_transpose;

/// The pass that does both everywhere, in bodies too. Types are inferred first.
Pass einsums_to_matmuls();

}  // namespace graft::inline v1

#ifndef GRAFT_COMPILED
#include <graft/lower/einsum.ipp>
#endif
