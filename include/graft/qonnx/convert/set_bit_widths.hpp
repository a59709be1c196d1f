#pragma once
#include <vector>

#include <graft/graph/name_pattern.hpp>
#include <graft/rewrite/pass.hpp>

// Before:  y = Quant(x, scale, zero_point, bits)
// After:   y = Quant(x, scale', zero_point', bits')
//
// From the lowest to the highest integer it spans the numbers that it spanned before: where the zero point is 0 the
// highest integer stays what it was times its scale, else both ends do, up to the rounding of the zero point. The
// parameters are constant float32, and bits is one number.

namespace graft::inline v1::qonnx {

/// The bit width that the tensors which a pattern matches are quantized to. It may be a fraction; 1 bit is possible
/// only where the Quant is unsigned.
struct BitWidth {
  NamePattern tensors;
  float bits = 8;
};

/// The pass that gives Quant and IntQuant nodes another bit width, by the name of what they quantize: the input of the
/// Quant, or its output. Of several patterns that match, the last decides. The Report's notes list the patterns that
/// match no Quant. Throws Error for a bit width below 1 or above 32.
Pass set_bit_widths(std::vector<BitWidth> widths);

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/set_bit_widths.ipp>
#endif
