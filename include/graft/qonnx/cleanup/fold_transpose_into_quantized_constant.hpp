#pragma once
#include <graft/rewrite/pass.hpp>

// Before:  Transpose(Quant(c, s, z, b)) {perm}          or any quantizer of QONNX, or DequantizeLinear
// After:   Quant(c', s', z', b')                        constants transposed here
//
// All operands are constant. Parameters that broadcast are transposed with c; the axis of DequantizeLinear is adapted.
// Blocks (block_size) are skipped. Other readers of the quantized constant keep it. Values, shapes and signature stay.

namespace graft::inline v1::qonnx {

/// The pass that does this everywhere, in bodies and functions too.
Pass fold_transpose_into_quantized_constant();

}  // namespace graft::inline v1::qonnx
