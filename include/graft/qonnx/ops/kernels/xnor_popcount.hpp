#pragma once
#include <graft/evaluate/kernel_context.hpp>

namespace graft::inline v1::qonnx {

/// XnorPopcountMatMul(a, b) of matrices of 0 and 1: for each row and column, the number of their K pairs with equal
/// bits, (MatMul(2 a - 1, 2 b - 1) + K) / 2.
void xnor_popcount_kernel(KernelContext& ctx);

}  // namespace graft::inline v1::qonnx
