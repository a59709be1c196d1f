#pragma once
#include <vector>

#include <graft/graph/name_pattern.hpp>
#include <graft/rewrite/pass.hpp>

// Before:  y = Quant(x, scale, zero_point, bits)
// After:   y = Quant(x, scale', zero_point', bits')
//
// The range from the lowest to the highest number stays the same. If the zero point is 0, only the highest number is
// kept exactly; otherwise both ends are kept, up to the rounding of the zero point. x is not constant, the parameters
// are constant float32, and bits is one number.
//
// Before:  Conv(x, w, Quant(b, s, 0, 32))     or Gemm; x and w quantized
// After:   Conv(x, w, Quant(b, s', 0, 32))    s' = the scale of x * the scales of w
//
// The bias changes if the scale of x has changed, because runtimes add the integers of the bias to those of the
// products.

namespace graft::inline v1::qonnx {

/// The bit width for the tensors that a pattern matches. It may be a fraction. Signed integers need more than 1 bit.
struct BitWidth {
  NamePattern tensors;
  float bits = 8;
};

/// The pass that changes the bit width of Quant and IntQuant nodes of activations, by the name of the Quant's input or
/// output. If several patterns match, the last one decides. Quants of constants keep the bit width of their integers.
/// The notes of the Report list the patterns that match no Quant of an activation. Throws Error for a bit width below 1
/// or above 32.
Pass set_bit_widths(std::vector<BitWidth> widths);

}  // namespace graft::inline v1::qonnx
