#pragma once
#include <graft/rewrite/pass.hpp>

namespace graft::inline v1 {

struct RuleView;

// Before:  MatMul(x, DequantizeLinear(q, s, z))
// After:   com.microsoft::MatMulNBits(x, codes, scales) {K, N, bits, block_size, accuracy_level=1}
//
// q is a constant matrix [K, N] of integers of at most 8 bits, without other readers. s is float32: one for all, one
// for each column, or one for each block of a column, of 16 to 256 rows, a power of two. z is the middle of the dtype
// of q: 0 if that is signed, when z may be absent. x is float32. Codes have 2, 4 or 8 bits, the fewest that hold all
// integers. A scale of a column is repeated for each block of 128 rows, or fewer if K is below that.
extern const RuleView matmul_to_nbits;

/// Applies the rule everywhere, bodies included, and infers types first. The integers stay what they are, such as those
/// that reconstruct() learned. A Gemm is first a MatMul: gemms_to_matmul_adds().
Pass matmuls_to_nbits();

}  // namespace graft::inline v1
