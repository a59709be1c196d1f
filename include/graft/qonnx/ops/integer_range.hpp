#pragma once

namespace graft::inline v1::qonnx {

/// The bounds between which Quant keeps its integers, in float32: they need not be integers where the bit width is not.
struct IntegerRange {
  float min = 0, max = 0;

  friend bool operator==(const IntegerRange&, const IntegerRange&) = default;
};

/// The bounds of integers of `bits` bits. A narrow range lacks one value: the lowest of a signed range, the highest of
/// an unsigned one.
IntegerRange integer_range(float bits, bool is_signed, bool is_narrow);

}  // namespace graft::inline v1::qonnx

#ifndef GRAFT_COMPILED
#include <graft/qonnx/ops/integer_range.ipp>
#endif
