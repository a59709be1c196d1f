#pragma once
#include <graft/qonnx/convert/integer_options.hpp>
#include <graft/rewrite/pass.hpp>

// Before:  q = QuantizeLinear(x, s, z), c = Clip(q, lowest, highest), y = DequantizeLinear(c, s, z)
// After:   y = Quant(x, scale, zero_point, bits)
//
// There may be no Clip, or several; a Clip may lack a bound. s and z are constant, of equal values on both sides: one
// number each, or one for each index of an axis. The scale is float32, positive and finite; z may be absent. The
// integers have 2, 4, 8 or 16 bits, x is float32. Blocks (block_size) and floats of 8 or 4 bits are skipped. Other
// readers of the integers keep them.
//
// Bit width, signed and narrow give the range of the integers. If no whole number of bits has this range, a fractional
// bit width whose bounds round to it is used, if there is one. Otherwise a Clip of floats follows a Quant of the whole
// dtype.
//
// Before:  y = DequantizeLinear(q, s, z)            q is constant; a Clip may be between
// After:   y = Quant(w, scale, zero_point, bits)    w is the constant (q - z) * s
//
// The integers have up to 32 bits. They are skipped if they are so large that Quant of w differs from y.

namespace graft::inline v1::qonnx {

struct QdqToQuantOptions {
  /// Other zero points are skipped.
  ZeroPoints zero_points = ZeroPoints::any;
  /// Gives a range without a whole number of bits a fractional bit width, if there is one, instead of a Clip.
  bool fractional_bits = true;
  /// Gives Quant of a constant the least bit width that holds its integers, instead of that of their dtype. Integers of
  /// 32 bits keep it: they are biases, whose width is that of the kernel's accumulator.
  bool least_bits_of_constants = false;
};

/// The pass that converts DequantizeLinear nodes in all scopes to Quant. Skipped nodes report the reason as a refusal.
/// Conversions that are not exact for all x, by ZeroPoints, are noted. Infers types first. Imports QONNX's domain if
/// needed, except in local functions: nodes in a function that does not import it are skipped. Removes an unused import
/// of com.microsoft.
Pass qdq_to_quant(const QdqToQuantOptions& options = {});

}  // namespace graft::inline v1::qonnx
