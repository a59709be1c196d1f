#pragma once

namespace graft::inline v1::qonnx {

/// The bounds between which Quant keeps its integers, in float32: they need not be integers where the bit width is not.
struct IntegerRange {
  float min = 0, max = 0;

  friend bool operator==(const IntegerRange&, const IntegerRange&) = default;
};

/// Signed: -2^(bits-1), plus 1 if narrow, to 2^(bits-1) - 1; unsigned: 0 to 2^bits - 1, minus 1 if narrow. One signed
/// bit, which Quant maps to -1 and 1, is not covered.
IntegerRange integer_range(float bits, bool is_signed, bool is_narrow);

/// Whether Quant makes -1 and 1, by the sign: one signed bit.
constexpr bool is_bipolar(float bits, bool is_signed) { return bits == 1 && is_signed; }

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/ops/integer_range.ipp>
#endif
