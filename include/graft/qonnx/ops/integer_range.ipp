#pragma once
#include <graft/qonnx/ops/integer_range.hpp>

#include <cmath>

#include <graft/config.hpp>

namespace graft::inline v1::qonnx {

GRAFT_INLINE IntegerRange integer_range(float bits, bool is_signed, bool is_narrow) {
  if (is_signed) {
    const float half = std::exp2(bits - 1);
    return {is_narrow ? 1 - half : -half, half - 1};
  }
  return {0, std::exp2(bits) - (is_narrow ? 2.0F : 1.0F)};
}

}  // namespace graft::inline v1::qonnx
