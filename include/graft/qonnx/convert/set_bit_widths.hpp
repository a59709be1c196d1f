#pragma once
#include <vector>

#include <graft/graph/name_pattern.hpp>
#include <graft/rewrite/pass.hpp>

// Before:  y = Quant(x, scale, zero_point, bits)
// After:   y = Quant(x, scale', zero_point', bits')
//
// From the lowest to the highest integer it spans the numbers that it spanned before: where the zero point is 0 the
// highest integer stays what it was times its scale, else both ends do, up to the rounding of the zero point. x is not
// constant, the parameters are constant float32, and bits is one number.
//
// Before:  Conv(x, w, Quant(b, s, 0, 32))     or Gemm; x and w quantized
// After:   Conv(x, w, Quant(b, s', 0, 32))    s' = the scale of x * the scales of w
//
// This follows where the scale of x has changed: runtimes add the integers of the bias to those of the products.

namespace graft::inline v1::qonnx {

/// The bit width that the tensors which a pattern matches are quantized to. It may be a fraction. Signed integers need
/// more than 1 bit.
struct BitWidth {
  NamePattern tensors;
  float bits = 8;
};

/// The pass that gives Quant and IntQuant nodes of activations another bit width, by the name of what they quantize:
/// the input of the Quant, or its output. Of several patterns that match, the last decides. Quants of constants keep
/// their bit width, which is that of their integers. The Report's notes list the patterns that match no Quant of an
/// activation. Throws Error for a bit width below 1 or above 32.
Pass set_bit_widths(std::vector<BitWidth> widths);

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/set_bit_widths.ipp>
#endif
