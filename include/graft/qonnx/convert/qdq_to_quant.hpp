#pragma once
#include <graft/qonnx/convert/integer_options.hpp>
#include <graft/rewrite/pass.hpp>

// Before:  q = QuantizeLinear(x, s, z), c = Clip(q, lowest, highest), y = DequantizeLinear(c, s, z)
// After:   y = Quant(x, scale, zero_point, bits)
//
// There may be no Clip, or several; a Clip may lack a bound. s and z are constant, of equal values on both sides: one
// number each, or one for each index of an axis. The scale is float32, positive and finite; z may be absent. The
// integers have 2, 4, 8 or 16 bits, x is float32. Blocks (block_size) and floats of 8 or 4 bits are declined. What else
// reads the integers keeps them.
//
// Bit width, signed and narrow are those whose range is that of the integers. Another range gets a fractional bit width
// whose bounds round to it, if there is one. Else a Clip of floats follows a Quant of the whole dtype.
//
// Before:  y = DequantizeLinear(q, s, z)            q is constant; a Clip may be between
// After:   y = Quant(w, scale, zero_point, bits)    w is the constant (q - z) * s
//
// The integers have up to 32 bits. They are declined if they are so large that Quant of w is not y.

namespace graft::inline v1::qonnx {

struct QdqToQuantOptions {
  /// Others are declined.
  ZeroPoints zero_points = ZeroPoints::any;
  /// A range of no whole number of bits gets a fractional one, if there is one, and no Clip.
  bool fractional_bits = true;
  /// Quant of a constant gets the least bit width that holds its integers, not that of their dtype. Integers of 32 bits
  /// keep it: they are biases, which kernels take in the width of their accumulator.
  bool least_bits_of_constants = false;
};

/// The pass that converts the DequantizeLinear nodes in all scopes to Quant. Each one is converted, or stays, with the
/// reason as a refusal. Conversions that are not exact for all x, by ZeroPoints, are noted. Types are inferred first.
/// QONNX's domain is imported where it is needed, but not in local functions: in one that does not import it nodes
/// stay. An import of com.microsoft that nothing uses any more goes.
Pass qdq_to_quant(const QdqToQuantOptions& options = {});

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/convert/qdq_to_quant.ipp>
#endif
